package vectors

// This file asks an engine the questions of test/vectors/forecast/, whose README.md has the format.

import (
	"context"
	"fmt"
	"reflect"

	stint "github.com/stint-dev/stint/bindings/go"
)

// ForecastCase is one case of test/vectors/forecast/.
type ForecastCase struct {
	Question
	Why    string         `json:"why"`
	Expect map[string]any `json:"expect"` // Members of the forecast; others are not looked at.
}

// LoadForecasts reads every case, in the order of files and cases.
func LoadForecasts() ([]ForecastCase, error) { return loadQuestions[ForecastCase]("forecast") }

// Play asks the engine. The error says what is not as the case says.
func (c *ForecastCase) Play(ctx context.Context, engine *stint.Engine) error {
	forecast, err := engine.Forecast(ctx, c.bytes(), c.NowMs)
	if c.Refused != "" {
		return c.checkRefusal(err, forecast)
	}
	if err != nil {
		return err
	}
	members, err := membersOf(forecast)
	if err != nil {
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
