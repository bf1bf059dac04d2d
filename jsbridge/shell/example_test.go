package shell_test

import (
	"fmt"

	"millrace.dev/millrace/jsbridge/shell"
)

type Person struct {
	ID   int    `millrace:"id"`
	Name string `millrace:"name"`
	Age  int    `millrace:"age"`
}

func Example() {
	db, err := shell.Open()
	if err != nil {
		panic(err)
	}
	defer db.Close()

	people, err := db.Collection(shell.Config{
		ID:  "people",
		Key: func(row any) any { return row.(Person).ID },
	})
	if err != nil {
		panic(err)
	}
	err = people.Begin().
		Insert(Person{1, "Ada", 36}).
		Insert(Person{2, "Grace", 85}).
		Insert(Person{3, "Kurt", 17}).
		Commit()
	if err != nil {
		panic(err)
	}
	if err := people.MarkReady(); err != nil {
		panic(err)
	}

	adults, err := db.Query(shell.From(people).
		Where(shell.Gte(shell.Ref("age"), 18)).
		Select(shell.As("name", shell.Ref("name"))).
		OrderBy(shell.Ref("age"), shell.Desc))
	if err != nil {
		panic(err)
	}
	for key, row := range adults.All() {
		fmt.Println(key, row)
	}

	_, err = adults.Subscribe(shell.FromNow, func(changes []shell.Change) {
		for _, c := range changes {
			fmt.Println(c.Op, c.Key, c.Row)
		}
	})
	if err != nil {
		panic(err)
	}
	err = people.Begin().
		Update(Person{3, "Kurt", 18}).
		Update(Person{2, "Grace Hopper", 85}).
		Delete(1).
		Commit()
	if err != nil {
		panic(err)
	}
	fmt.Println(adults.Rows())

	// Output:
	// 2 map[name:Grace]
	// 1 map[name:Ada]
	// delete 1 map[name:Ada]
	// insert 3 map[name:Kurt]
	// update 2 map[name:Grace Hopper]
	// [map[name:Grace Hopper] map[name:Kurt]]
}
