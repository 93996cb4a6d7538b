package lab

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Setting returns the value of a walkthrough's setting: the environment variable PUCL_NAME (upper case, "_" for "-"),
// which `go run ./notebooks run -set name=value` sets, or standard if it is not set.
func Setting[T int | float64 | string | bool](name string, standard T) (T, error) {
	variable := "PUCL_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	text, ok := os.LookupEnv(variable)
	if !ok || text == "" {
		return standard, nil
	}
	var value any
	var err error
	switch any(standard).(type) {
	case int:
		value, err = strconv.Atoi(text)
	case float64:
		value, err = strconv.ParseFloat(text, 64)
	case bool:
		value, err = strconv.ParseBool(text)
	case string:
		value = text
	}
	if err != nil {
		return standard, fmt.Errorf("lab: %s=%q does not read as %T; unset it for the standard value %v", variable, text, standard, standard)
	}
	return value.(T), nil
}
