package experiment

import (
	"fmt"
	"os"
	"path"
	"strings"
)

// oomKills returns how many processes the system has killed for want of memory: in the control group of this process where
// that is counted, else on the whole machine, and 0 where nobody counts. It is a variable so that tests can stand in for the system.
var oomKills = func() int {
	for _, file := range append(memoryGroups(), "/proc/vmstat") {
		if n, ok := counted(file); ok {
			return n
		}
	}
	return 0
}

// memoryGroups returns the files in which the control group of this process may count. In a container the group can have
// another name inside than outside; its files are then at the root.
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

// counted returns the number behind "oom_kill" in a file of the system.
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
