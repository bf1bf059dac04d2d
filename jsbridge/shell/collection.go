package shell

import (
	"errors"
	"fmt"
	"slices"
)

// Config describes a collection.
type Config struct {
	// ID is the public name. Empty: "collection-" and a number.
	ID string
	// Key returns the public key of a row: a string, or a number of any type. It
	// must not call into the database.
	Key func(row any) any
}

// Collection is a set of rows by key, filled by a sync source through
// transactions. Its rows are read in key order.
type Collection struct {
	relation
	keyFunc func(any) any

	slots       []slot
	freeSlot    []uint32
	keys        []any // by key id
	keyIDs      map[any]uint32
	freeKey     []uint32
	keysCarried bool
	columns     []column // what every transaction brings along, in this order
}

type slot struct {
	row any
	key uint32 // id
}

// column is a path the engine asked to be told of.
type column struct {
	index uint32
	path  []string
	text  bool // with the bytes of texts
}

// Collection creates an empty collection and starts its sync session: its
// status is Loading.
func (db *DB) Collection(config Config) (*Collection, error) {
	if config.Key == nil {
		return nil, errors.New("millrace: Config.Key is nil: rows need a key")
	}
	c := &Collection{keyFunc: config.Key}
	c.relation = relation{
		db: db, id: db.fresh(), name: config.ID, root: c, mirror: newMirror(false),
		rows: map[uint32]any{}, subs: map[uint32]*Subscription{},
	}
	if c.name == "" {
		c.name = fmt.Sprintf("collection-%d", c.id)
	}
	c.reset()
	m := command(opCreateRoot, 2)
	m.u32(c.id)
	c.writeName(m)
	db.relations[c.id] = &c.relation
	if err := db.run(m); err != nil {
		delete(db.relations, c.id)
		return nil, err
	}
	return c, c.Start()
}

func (r *relation) writeName(m *message) {
	m.array(2)
	m.uint(kindString)
	m.u32(r.db.texts.id(kindString, r.name))
}

// reset empties the tables: the engine has forgotten slots, keys and columns.
func (c *Collection) reset() {
	c.slots, c.freeSlot, c.keys, c.freeKey = nil, nil, nil, nil
	c.keyIDs, c.keysCarried, c.columns = map[any]uint32{}, false, nil
}

// Start begins a new sync session after a Cleanup.
func (c *Collection) Start() error { return c.db.simple(opStart, c.id) }

// MarkReady tells that the source has delivered its first content; also that it
// recovered from an error.
func (c *Collection) MarkReady() error { return c.db.simple(opMarkReady, c.id) }

// MarkError tells that the source has failed.
func (c *Collection) MarkError() error { return c.db.simple(opMarkError, c.id) }

// Cleanup ends the sync session and drops all rows. Queries over the collection
// fail and are empty until they are cleaned up and started again.
func (c *Collection) Cleanup() error { return c.db.simple(opCleanup, c.id) }

// Forget ends the collection, which must be cleaned up. It cannot be used any
// more.
func (c *Collection) Forget() error {
	err := c.db.simple(opForget, c.id)
	if err == nil {
		delete(c.db.relations, c.id)
	}
	return err
}

// Truncations counts the truncating transactions so far.
func (c *Collection) Truncations() int { return c.truncated }

func (c *Collection) keyByID(id uint32) any {
	if int(id) < len(c.keys) {
		return c.keys[id]
	}
	return nil
}

// extract adds the value of a column in a slot to values, and its text to ids.
func (c *Collection) extract(col *column, s uint32, values *cells, ids *[]uint32) {
	if int(s) >= len(c.slots) {
		panic(fmt.Errorf("the engine asks for slot %d of %d", s, len(c.slots)))
	}
	kind, val := c.db.texts.cell(c.at(s, col.path))
	values.add(kind, val)
	if col.text && kind >= kindString && kind <= kindTemporal {
		*ids = append(*ids, uint32(val))
	}
}

// writeKeys writes the keys behind ids as cells and texts.
func (c *Collection) writeKeys(m *message, ids []uint32) {
	var ids2 []uint32
	c.keyCells(ids, &ids2).write(m)
	c.db.texts.write(m, ids2)
}

func (c *Collection) keyCells(ids []uint32, texts *[]uint32) *cells {
	values := &cells{}
	for _, id := range ids {
		kind, val := c.db.texts.cell(c.keyByID(id))
		values.add(kind, val)
		if kind == kindString {
			*texts = append(*texts, uint32(val))
		}
	}
	return values
}

func (c *Collection) freeKeys(ids []uint32) {
	for _, id := range ids {
		delete(c.keyIDs, c.keys[id])
		c.keys[id] = nil
	}
	c.freeKey = append(c.freeKey, ids...)
}

func (c *Collection) freeSlots(slots []uint32) {
	for _, s := range slots {
		c.slots[s] = slot{}
	}
	c.freeSlot = append(c.freeSlot, slots...)
}

func (c *Collection) dropColumn(index uint32) {
	c.columns = slices.DeleteFunc(c.columns, func(col column) bool { return col.index == index })
}

func pop(list *[]uint32) (uint32, bool) {
	n := len(*list)
	if n == 0 {
		return 0, false
	}
	id := (*list)[n-1]
	*list = (*list)[:n-1]
	return id, true
}

// internKey returns the id of a key, and whether it is new.
func (c *Collection) internKey(key any) (id uint32, fresh bool) {
	if id, ok := c.keyIDs[key]; ok {
		return id, false
	}
	id, ok := pop(&c.freeKey)
	if !ok {
		id = uint32(len(c.keys))
		c.keys = append(c.keys, nil)
	}
	c.keys[id], c.keyIDs[key] = key, id
	return id, true
}

func (c *Collection) takeSlot(row any, key uint32) uint32 {
	s, ok := pop(&c.freeSlot)
	if !ok {
		s = uint32(len(c.slots))
		c.slots = append(c.slots, slot{})
	}
	c.slots[s] = slot{row, key}
	return s
}
