package collection

// Status is where a collection is in its life. The numbers are the wire's.
type Status uint8

// The statuses.
const (
	Idle Status = iota
	Loading
	Ready
	Failed
	CleanedUp
)

// may[from] lists where a collection may go from a status; staying is always
// allowed.
var may = [...][]Status{
	Idle:      {Loading, Failed, CleanedUp},
	Loading:   {Ready, Failed, CleanedUp},
	Ready:     {CleanedUp, Failed},
	Failed:    {Ready, CleanedUp, Idle},
	CleanedUp: {Loading, Failed},
}

// May tells whether a collection in status s may go to another.
func (s Status) May(to Status) bool {
	if s == to {
		return true
	}
	for _, t := range may[s] {
		if t == to {
			return true
		}
	}
	return false
}
