// Package programs makes XLA's CPU plugin compile a program once. A program that was compiled before in this process,
// for the same client and with the same options, is taken from the cache.
//
// Compilation takes seconds for a deep network, and graphs are built anew for every model that is trained or resumed,
// often into an identical program: a seed, for example, is not part of it. The cache holds only the compiled program,
// which has no state: the numbers do not change, and several models may run one program at the same time.
//
// Unused programs are kept too, the last 64 of them; the programs of a client are deleted with it.
package programs

import (
	"container/list"
	"crypto/sha256"
	"sync"
	"unsafe"
)

// pointer is a pointer of the plugin.
type pointer = unsafe.Pointer

// key identifies a program: the client, and a digest of the text and the options.
type key struct {
	client pointer
	digest [sha256.Size]byte
}

// program is a compiled program.
type program struct {
	key        key
	executable pointer
	users      int           // number of users
	idle       *list.Element // its element in the list of unused programs
}

// store is the cache of programs.
type store struct {
	lock       sync.Mutex
	byKey      map[key]*program
	executable map[pointer]*program
	idle       list.List // of *program, the one returned first in front
	most       int       // maximum length of idle
}

func newStore(most int) *store {
	return &store{byKey: map[key]*program{}, executable: map[pointer]*program{}, most: most}
}

// take returns the executable of a cached program, or nil, and counts one more user.
func (s *store) take(k key) pointer {
	s.lock.Lock()
	defer s.lock.Unlock()
	p := s.byKey[k]
	if p == nil {
		return nil
	}
	if p.users++; p.idle != nil {
		s.idle.Remove(p.idle)
		p.idle = nil
	}
	return p.executable
}

// add caches an executable with one user. If two compiled a program at the same time, the second is not cached.
func (s *store) add(k key, executable pointer) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.byKey[k] == nil {
		p := &program{key: k, executable: executable, users: 1}
		s.byKey[k], s.executable[executable] = p, p
	}
}

// giveBack removes one user of an executable. It returns the executable to destroy, nil for none: this one if it is not
// cached, or the oldest of too many.
func (s *store) giveBack(executable pointer) (destroy pointer) {
	s.lock.Lock()
	defer s.lock.Unlock()
	p := s.executable[executable]
	if p == nil {
		return executable
	}
	if p.users--; p.users > 0 {
		return nil
	}
	if s.byKey[p.key] != p { // its client is gone
		delete(s.executable, executable)
		return executable
	}
	p.idle = s.idle.PushBack(p)
	if s.idle.Len() <= s.most {
		return nil
	}
	oldest := s.idle.Remove(s.idle.Front()).(*program)
	delete(s.byKey, oldest.key)
	delete(s.executable, oldest.executable)
	return oldest.executable
}

// forget removes the programs of a client that ends, and returns its unused executables, to be destroyed before it.
// Executables in use are returned later by giveBack, and have no new users until then.
func (s *store) forget(client pointer) (destroy []pointer) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for k, p := range s.byKey {
		if k.client != client {
			continue
		}
		delete(s.byKey, k)
		if p.idle != nil {
			s.idle.Remove(p.idle)
			delete(s.executable, p.executable)
			destroy = append(destroy, p.executable)
		}
	}
	return destroy
}
