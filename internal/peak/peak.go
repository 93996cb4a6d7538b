// Package peak reads the peak memory of a process.
package peak

import (
	"fmt"
	"os"
	"strings"
)

// Bytes returns the peak memory of this process (VmHWM) in bytes. It returns an error on systems without /proc.
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
