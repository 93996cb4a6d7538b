package lists_test

import (
	"fmt"
	"strings"

	"github.com/puclab/puclab/theory/internal/lists"
)

type season int

func Example() {
	fmt.Println(lists.Make(3, func(i int) int { return i * i }))
	fmt.Println(lists.Map([]string{"a", "b"}, strings.ToUpper), len(lists.Map([]string(nil), strings.ToUpper)))
	fmt.Println(lists.Table(2, 3, func(i, k int) int { return 10*i + k }), lists.Table(0, 3, func(i, k int) int { return 1 }))
	for _, s := range []season{-1, 0, 1, 2} {
		fmt.Println(lists.Name(s, "season", "summer", "winter"))
	}
	// Output:
	// [0 1 4]
	// [A B] 0
	// [[0 1 2] [10 11 12]] []
	// season(-1)
	// summer
	// winter
	// season(2)
}
