package experiment

import (
	"fmt"
	"os"
	"path"
	"strings"
)

// oomKills returns the number of processes that the system's out-of-memory killer has ended: in the control group of
// this process if that is counted, else on the whole machine, and 0 without a counter. It is a variable so that tests
// can replace the system.
var oomKills = func() int {
	for _, file := range append(memoryGroups(), "/proc/vmstat") {
		if n, ok := counted(file); ok {
			return n
		}
	}
	return 0
}

// memoryGroups returns the files that may hold the counter of this process's control group. In a container the group's
// name inside and outside can differ; its files are then at the root.
func memoryGroups() []string {
	var own, root []string
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(groups)) {
		folder, file := "/sys/fs/cgroup", "memory.events"
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(fields) == 3 && fields[1] == "": // version 2
		case len(fields) == 3 && fields[1] == "memory":
			folder, file = "/sys/fs/cgroup/memory", "memory.oom_control"
		default:
			continue
		}
		own, root = append(own, path.Join(folder, fields[2], file)), append(root, path.Join(folder, file))
	}
	return append(own, root...)
}

// counted returns the number after "oom_kill" in a system file.
func counted(file string) (n int, ok bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, "oom_kill "); found {
			_, err := fmt.Sscan(rest, &n)
			return n, err == nil
		}
	}
	return 0, false
}
