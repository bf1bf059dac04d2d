package includes

import (
	"fmt"
	"strings"

	"millrace.dev/millrace/collection/value"
)

// stats prints what an engine holds, without totals and bytes.
func stats(s *stage) string {
	s.e.Dict.Sweep(nil)
	st := s.e.Stats()
	st.Bytes, st.Visits, st.Scanned, st.Refills = 0, 0, 0, 0
	text := fmt.Sprintf("%+v", st)
	return text[:strings.Index(text, " Bytes")] + "}"
}

func collated(id uint32) value.Term { return value.Term{Collation: id} }
