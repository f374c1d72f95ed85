package vectors

// This file asks an engine the questions of test/vectors/forecast/, whose README.md has the format.

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	stint "stint.dev/stint/bindings/go"
)

// ForecastCase is one case of test/vectors/forecast/.
type ForecastCase struct {
	File    string          `json:"-"`
	Name    string          `json:"name"`
	Why     string          `json:"why"`
	NowMs   int64           `json:"nowMs"`
	Input   json.RawMessage `json:"input"`
	Text    *string         `json:"text"`    // In the place of Input: bytes that are no question.
	Expect  map[string]any  `json:"expect"`  // Members of the forecast; others are not looked at.
	Refused string          `json:"refused"` // A part of the refusal; empty: there is an answer.
}

// ID is the case's name among all.
func (c *ForecastCase) ID() string { return c.File + ": " + c.Name }

// LoadForecasts reads every case, in the order of files and cases.
func LoadForecasts() ([]ForecastCase, error) {
	paths, err := filepath.Glob(filepath.Join(Repository, "test/vectors/forecast/*.json"))
	if err != nil {
		return nil, err
	}
	var cases []ForecastCase
	for _, path := range paths {
		var ofFile struct {
			Cases []ForecastCase `json:"cases"`
		}
		if err := readStrictly(path, &ofFile); err != nil {
			return nil, err
		}
		for _, vector := range ofFile.Cases {
			vector.File = filepath.Base(path)
			cases = append(cases, vector)
		}
	}
	return cases, nil
}

// Play asks the engine. The error says what is not as the case says.
func (c *ForecastCase) Play(engine *stint.Engine) error {
	question := []byte(c.Input)
	if c.Text != nil {
		question = []byte(*c.Text)
	}
	forecast, err := engine.Forecast(question, c.NowMs)
	if c.Refused != "" {
		var refusal *stint.Error
		if !errors.As(err, &refusal) || refusal.Code != stint.CodeBadJSON || !strings.Contains(refusal.Text, c.Refused) {
			return fmt.Errorf("expected a refusal that says %q, got %v, %v", c.Refused, forecast, err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	text, err := json.Marshal(forecast)
	if err != nil {
		return err
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	return forecastDiffers("forecast", members, c.Expect)
}

// The first member that is not as wanted. Members that are not wanted are not looked at, and a list is compared whole.
func forecastDiffers(path string, found, wanted any) error {
	if members, ok := wanted.(map[string]any); ok {
		object, _ := found.(map[string]any)
		for name, member := range members {
			if err := forecastDiffers(path+"."+name, object[name], member); err != nil {
				return err
			}
		}
		return nil
	}
	if !reflect.DeepEqual(found, wanted) {
		return fmt.Errorf("%s is %v, expected %v", path, found, wanted)
	}
	return nil
}
