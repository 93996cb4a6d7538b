// Package peak reads how much memory a process has held.
package peak

import (
	"fmt"
	"os"
	"strings"
)

// Bytes returns the most memory that this process has held at once (VmHWM). It returns an error on systems without /proc.
func Bytes() (int, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kib int
	if _, err := fmt.Sscan(after, &kib); err != nil {
		return 0, fmt.Errorf("no VmHWM in /proc/self/status: %w", err)
	}
	return kib << 10, nil
}
