package main

import (
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// guide holds the files and the commands of a guide.
type guide struct {
	files    []file
	commands []command
}

// file is a Go file: a Go block and the blocks that continue it.
type file struct {
	path, text string
	line       int // of the guide, where it begins
}

// command is a sh block and its expected output.
type command struct {
	script, want string
	line         int
}

// block is one fenced block of Markdown.
type block struct {
	language, text string
	line           int // of its fence, counted from 1
}

// parse reads a guide in the form that the package comment describes. Its errors name the line.
func parse(markdown string) (*guide, error) {
	list, err := blocks(markdown)
	if err != nil {
		return nil, err
	}
	g, last := &guide{}, ""
	for _, b := range list {
		switch b.language {
		case "go":
			err = g.addGo(b)
		case "sh":
			g.commands = append(g.commands, command{script: b.text, line: b.line})
		case "text":
			if last != "sh" {
				err = errors.New("a text block is what the sh block before it prints, and there is none")
			} else {
				g.commands[len(g.commands)-1].want = b.text
			}
		default:
			if !strings.HasSuffix(b.language, " not run") {
				err = fmt.Errorf("a block is go, sh or text; one that nobody runs says so behind its language, as in ```%s not run", b.language)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", b.line, err)
		}
		last = b.language
	}
	for _, f := range g.files {
		if err := f.check(); err != nil {
			return nil, fmt.Errorf("line %d: %w", f.line, err)
		}
	}
	return g, nil
}

// blocks returns the fenced blocks of a text.
func blocks(markdown string) ([]block, error) {
	var list []block
	inside := false
	for i, line := range strings.Split(markdown, "\n") {
		language, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && !inside:
			list = append(list, block{language: language, line: i + 1})
			inside = true
		case fence && language != "":
			return nil, fmt.Errorf("line %d: a block begins inside the one of line %d", i+1, list[len(list)-1].line)
		case fence:
			inside = false
		case inside:
			list[len(list)-1].text += line + "\n"
		}
	}
	if inside {
		return nil, fmt.Errorf("line %d: the block does not end", list[len(list)-1].line)
	}
	return list, nil
}

// named matches the first line of a block that begins a file.
var named = regexp.MustCompile(`^// (\S+\.go)\n`)

// addGo begins a new file if the block names one, and continues the last file otherwise.
func (g *guide) addGo(b block) error {
	name := named.FindStringSubmatch(b.text)
	if name == nil {
		if len(g.files) == 0 {
			return errors.New("the first Go block names its file, as in // main.go")
		}
		g.files[len(g.files)-1].text += "\n" + b.text
		return nil
	}
	for _, f := range g.files {
		if f.path == name[1] {
			return fmt.Errorf("%s is written in line %d already", f.path, f.line)
		}
	}
	g.files = append(g.files, file{path: name[1], text: b.text, line: b.line})
	return nil
}

// check returns an error if the path leaves the module, or if the text is not Go or not formatted by gofmt.
func (f file) check() error {
	if !fs.ValidPath(f.path) || path.Clean(f.path) != f.path {
		return fmt.Errorf("%s is no path inside of the module", f.path)
	}
	formatted, err := format.Source([]byte(f.text))
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if string(formatted) != f.text {
		return fmt.Errorf("%s is not formatted; this is:\n%s", f.path, formatted)
	}
	return nil
}
