// Package programs has XLA's CPU plugin compile a program once: a program that was compiled before in this process, for the same client
// and with the same options, is taken from those that are kept.
//
// Compiling takes seconds where a network is deep, and graphs are built anew for every model that is trained or taken up again,
// often into a program that is the same to the letter: a seed, for one, is no part of it. What is kept is the compiled program alone, which
// has no state: the numbers do not change, and several models may run one program at the same time.
//
// Programs that nobody holds any more are kept too, the last 64 of them; a client's go with it.
package programs

import (
	"container/list"
	"crypto/sha256"
	"sync"
	"unsafe"
)

// pointer is one of the plugin's own.
type pointer = unsafe.Pointer

// key tells programs apart: the client, and a digest of the text and the options.
type key struct {
	client pointer
	digest [sha256.Size]byte
}

// program is a compiled one.
type program struct {
	key        key
	executable pointer
	users      int           // how many hold it
	idle       *list.Element // its place in the list of those that nobody holds
}

// store has the programs that are kept.
type store struct {
	lock       sync.Mutex
	byKey      map[key]*program
	executable map[pointer]*program
	idle       list.List // of *program, the one that was given back first in front
	most       int       // of the list
}

func newStore(most int) *store {
	return &store{byKey: map[key]*program{}, executable: map[pointer]*program{}, most: most}
}

// take returns the executable of a program that is kept, or nil, and counts one more who holds it.
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

// add keeps an executable that one holds. One of a program that two compiled at the same time is not kept.
func (s *store) add(k key, executable pointer) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.byKey[k] == nil {
		p := &program{key: k, executable: executable, users: 1}
		s.byKey[k], s.executable[executable] = p, p
	}
}

// giveBack says that one who held the executable does so no more, and returns the executable to destroy for it, if any: one that was never
// kept, or the oldest of too many.
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

// forget says that a client ends, and returns its executables that nobody holds, to be destroyed before it. Those that are held are given back
// later, and no one gets them until then.
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
