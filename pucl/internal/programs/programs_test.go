package programs

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/puclab/puclab/internal/expect"
)

// names are the targets of the pointers in the tests' executables and clients.
var names [1000]byte

func at(i int) pointer { return unsafe.Pointer(&names[i]) }

func keyed(client, program int) key {
	k := key{client: at(client)}
	k.digest[0] = byte(program)
	return k
}

func TestStoreKeepsWhatIsGivenBack(t *testing.T) {
	s := newStore(2)
	first := keyed(0, 1)
	if got := s.take(first); got != nil {
		t.Fatalf("an empty store has %v", got)
	}
	s.add(first, at(101))
	expect.Require(t, s.take(first) == at(101) && s.take(keyed(0, 2)) == nil && s.take(keyed(1, 1)) == nil,
		"a program is not told from another, or from another client's")
	for range 2 { // both users
		got := s.giveBack(at(101))
		expect.Require(t, got == nil, "%v is destroyed, with room for two", got)
	}
	expect.Require(t, s.take(first) == at(101), "a program that was given back is gone")
	s.giveBack(at(101))
	for i := 2; i <= 3; i++ { // the third evicts the first
		s.add(keyed(0, i), at(100+i))
		want := pointer(nil)
		if i == 3 {
			want = at(101)
		}
		got := s.giveBack(at(100 + i))
		expect.Require(t, got == want, "program %d back: %v is destroyed, want %v", i, got, want)
	}
	expect.That(t, s.take(first) == nil, "a destroyed program is given")
}

func TestStoreDestroysWhatItNeverKept(t *testing.T) {
	s := newStore(2)
	s.add(keyed(0, 1), at(101))
	s.add(keyed(0, 1), at(102)) // compiled by another at the same time
	expect.Equal(t, s.giveBack(at(102)), at(102))
	expect.That(t, s.take(keyed(0, 1)) == at(101), "the first is gone")
}

func TestStoreForgetsAClient(t *testing.T) {
	s := newStore(5)
	for i := range 4 {
		s.add(keyed(i/2, i), at(100+i)) // two for each of two clients
	}
	s.giveBack(at(100))
	if got := s.forget(at(0)); !slices.Equal(got, []pointer{at(100)}) {
		t.Fatalf("%v are destroyed with the client, want the one that nobody holds", got)
	}
	s.add(keyed(0, 1), at(110)) // of a new client at the old one's address
	expect.Equal(t, s.giveBack(at(101)), at(101), "back after its client")
	expect.That(t, s.take(keyed(0, 1)) == at(110) && s.take(keyed(1, 2)) == at(102),
		"another client's programs are gone")
}

// TestStoreAgainstAList checks that for any sequence of take, giveBack and forget, no executable in use is destroyed,
// none is destroyed twice, and no more are kept than allowed.
func TestStoreAgainstAList(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(1, seed))
		s := newStore(rng.IntN(4))
		holders := map[pointer]int{}
		destroyed := map[pointer]bool{}
		destroy := func(e pointer) {
			if e == nil {
				return
			}
			if holders[e] > 0 || destroyed[e] {
				t.Fatalf("seed %d: an executable is destroyed that is held by %d, destroyed before: %v", seed, holders[e], destroyed[e])
			}
			destroyed[e] = true
			delete(holders, e)
		}
		made := 0
		for range 300 {
			switch r := rng.IntN(20); {
			case r == 0:
				for _, e := range s.forget(at(rng.IntN(2))) {
					destroy(e)
				}
			case r < 10:
				k := keyed(rng.IntN(2), rng.IntN(6))
				e := s.take(k)
				if e == nil {
					e = at(100 + made)
					made++
					s.add(k, e)
				}
				expect.Require(t, !destroyed[e], "seed %d: a destroyed executable is given", seed)
				holders[e]++
			default:
				for e, n := range holders {
					if n > 0 {
						holders[e]--
						destroy(s.giveBack(e))
						break
					}
				}
			}
			expect.Require(t, s.idle.Len() <= s.most,
				"seed %d: %d are kept that nobody holds, at most %d may be", seed, s.idle.Len(), s.most)
		}
	}
}
