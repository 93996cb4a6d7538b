package launcher

import (
	"strings"
	"testing"
)

func TestReadNotebook(t *testing.T) {
	w := newWorkshop(t)
	path := w.file("notebooks/a.ipynb", notebookText("# Title of `it`\\n\\n## Part\\n\\nGoal e.g. this, is 0.5 nats. Then."))
	nb, err := readNotebook(path)
	if err != nil {
		t.Fatal(err)
	}
	if nb.name != "a" || nb.title != "Title of it" || nb.codeCells() != 2 || len(nb.cells) != 4 {
		t.Errorf("%+v", nb)
	}
	if c := nb.cells[1]; c.number != 1 || c.title != "Say hello" {
		t.Errorf("cell 1: %+v", c)
	}
	if c := nb.cells[3]; c.number != 2 || c.title != "Part" {
		t.Errorf("cell 3: %+v", c)
	}
	later := strings.Replace(notebookText("# Title\\n\\nGoal."), `"id": "c", "metadata": {}, "execution_count": null, "outputs": [], "source": ""`,
		`"id": "c", "metadata": {}, "source": "# Later\n\nMore."`, 1)
	later = strings.Replace(later, `"cell_type": "code", "id": "c"`, `"cell_type": "markdown", "id": "c"`, 1)
	if nb, err = readNotebook(w.file("notebooks/a.ipynb", later)); err != nil || nb.title != "Title" || nb.goal != "Goal." || nb.cells[3].title != "Later" {
		t.Errorf("with a second heading: %+v, %v", nb, err)
	}
	for _, text := range []string{"", "{", `{"nbformat": 3}`, `{"nbformat": 4, "cells": [{"cell_type": "code", "source": 3}]}`} {
		if _, err := readNotebook(w.file("notebooks/bad.ipynb", text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestCodeTitle(t *testing.T) {
	for _, tt := range []struct{ source, heading, want string }{
		{"// Train the encoder.\n%%\nx := 1", "H", "Train the encoder"},
		{"%%\n\n// Train\nx := 1", "H", "Train"},
		{"//gonb:%%\n// Train\nx := 1", "H", "Train"},
		{"import (\n\t\"fmt\" // printing\n)\n// Train\n", "H", "Train"},
		{"import \"fmt\"\n// Train\n", "H", "Train"},
		{"%%\nx := 1\n// late comment", "H", "H"},
		{"%%\nx := 1", "", "x := 1"},
		{"%noautoget\n!ls", "", "%noautoget"},
	} {
		if got := codeTitle(tt.source, tt.heading); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.source, got, tt.want)
		}
	}
}
