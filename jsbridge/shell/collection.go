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
	// Sourceless collections show local writes as confirmed ones.
	Sourceless bool
	// Patch lays the changes of an update over a row and returns a new row. It may be nil for rows that are maps.
	Patch func(row, changes any) any
}

// Collection is a set of rows by key, filled by a sync source through
// transactions. Its rows are read in key order.
type Collection struct {
	relation
	keyFunc    func(any) any
	patch      func(row, changes any) any
	sourceless bool

	below       map[uint32]uint32 // by key id: confirmed version under local writes
	slots       []slot
	freeSlot    []uint32
	keys        []any // by key id
	keyIDs      map[any]uint32
	freeKey     []uint32
	keysCarried bool
	columns     []column // what every transaction brings along, in this order
}

type slot struct {
	row      any
	key      uint32 // id
	standing standing
}

// standing says how far a row version is confirmed.
type standing uint8

const (
	remoteRow standing = iota
	localRow
	pendingRow
)

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
	c := &Collection{keyFunc: config.Key, patch: config.Patch, sourceless: config.Sourceless}
	c.relation = relation{
		db: db, id: db.fresh(), name: config.ID, root: c, mirror: newMirror(false),
		rows: map[uint32]any{}, subs: map[uint32]*Subscription{},
	}
	if c.name == "" {
		c.name = fmt.Sprintf("collection-%d", c.id)
	}
	c.reset()
	m := command(opCreateRoot, 3)
	m.u32(c.id)
	c.writeName(m)
	m.uint(uint64(bit(config.Sourceless)))
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
	c.keyIDs, c.keysCarried, c.columns, c.below = map[any]uint32{}, false, nil, map[uint32]uint32{}
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
	kind, val := c.db.texts.cell(c.cellAt(s, col.path))
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

// cellAt is the value the engine is told: it fills in $synced and $origin itself.
func (c *Collection) cellAt(s uint32, path []string) any {
	if len(path) == 1 && (path[0] == "$synced" || path[0] == "$origin") {
		return valueAt(c.row(s), path)
	}
	return c.at(s, path)
}

// writeContent writes the last fields of a command that brings rows: new keys,
// columns, texts.
func (c *Collection) writeContent(m *message, newKeys, rows []uint32) error {
	var ids []uint32
	if c.keysCarried {
		m.array(2)
		m.blockU32(newKeys)
		c.keyCells(newKeys, &ids).write(m)
	} else {
		m.nil()
	}
	if err := c.writeColumns(m, rows, &ids); err != nil {
		return err
	}
	c.db.texts.write(m, ids)
	return nil
}

func (c *Collection) writeColumns(m *message, rows []uint32, ids *[]uint32) error {
	m.array(len(c.columns))
	return contained("a row while its values were read", func() {
		for i := range c.columns {
			var values cells
			for _, s := range rows {
				c.extract(&c.columns[i], s, &values, ids)
			}
			values.write(m)
		}
	})
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
	c.slots[s] = slot{row: row, key: key}
	return s
}
