package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// state stores the outcomes of all trials of one version of the module, so that an interrupted run resumes. A digest
// of the module's files names the state's file.
type state struct {
	file   string
	mu     sync.Mutex
	trials map[string]outcome
	locks  map[string]*sync.Mutex // one for each key, held during its trial
}

// openState reads the outcomes in folder for the current version of the module.
func openState(mod *module, folder string) (*state, error) {
	digest, err := moduleDigest(mod.root)
	if err != nil {
		return nil, err
	}
	s := &state{
		file:   filepath.Join(folder, digest+".json"),
		trials: map[string]outcome{},
		locks:  map[string]*sync.Mutex{},
	}
	data, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	} else if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &s.trials); err != nil {
		return nil, fmt.Errorf("%s: %w; delete the file to start again", s.file, err)
	}
	return s, nil
}

// do returns the stored outcome of key, or runs trial and stores its outcome. Concurrent calls with one key run one
// trial.
func (s *state) do(key string, trial func() (outcome, error)) (outcome, error) {
	s.mu.Lock()
	if s.locks[key] == nil {
		s.locks[key] = new(sync.Mutex)
	}
	one := s.locks[key]
	s.mu.Unlock()
	one.Lock()
	defer one.Unlock()
	s.mu.Lock()
	result, known := s.trials[key]
	s.mu.Unlock()
	if known {
		return result, nil
	}
	result, err := trial()
	if err != nil {
		return outcome{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trials[key] = result
	data, err := json.MarshalIndent(s.trials, "", "\t")
	if err != nil {
		return outcome{}, err
	}
	return result, replaceFile(s.file, data)
}

// moduleDigest returns a digest of the module's files, without hidden files and notebooks/out.
func moduleDigest(root string) (string, error) {
	hash := sha256.New()
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if below != "." && strings.HasPrefix(entry.Name(), ".") || filepath.ToSlash(below) == "notebooks/out" {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), ".") {
			return nil
		}
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		fmt.Fprintf(hash, "%q\n", filepath.ToSlash(below))
		_, err = io.Copy(hash, file)
		return err
	})
	return fmt.Sprintf("%x", hash.Sum(nil)[:8]), err
}

// digest identifies the change that m makes.
func (m *mutant) digest() string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %q %q %d %q", m.File, m.Func, m.Lines, m.Occurrence, m.Mutated)
	return fmt.Sprintf("%x", hash.Sum(nil)[:6])
}
