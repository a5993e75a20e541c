package iostreams

import "fmt"

// SetColor takes the user's explicit choice (auto, always or never), which wins
// over the environment; auto leaves the choice to the environment and the terminal.
func (s *IO) SetColor(choice string) error {
	switch choice {
	case "auto":
		s.colour = colourAuto
	case "always":
		s.colour = colourAlways
	case "never":
		s.colour = colourNever
	default:
		return fmt.Errorf("colour %q is not valid: write auto, always or never", choice)
	}
	return nil
}

// ColorEnabled reports whether Out gets colour. It follows no-color.org and
// bixense.com/clicolors; where they disagree, the one who asks for less wins.
func (s *IO) ColorEnabled() bool {
	switch force := s.getenv("CLICOLOR_FORCE"); {
	case s.colour != colourAuto:
		return s.colour == colourAlways
	case s.getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return s.outTTY && !s.dumb()
}

// Screen reports whether a person sits at a terminal that can be drawn on.
func (s *IO) Screen() bool { return s.inTTY && s.outTTY && !s.dumb() }

// dumb terminals show escape sequences instead of obeying them.
func (s *IO) dumb() bool { return s.getenv("TERM") == "dumb" }

// Style colours text, or leaves it alone where colour is off. The zero value
// leaves it alone.
type Style struct{ on bool }

// StyleOut is the style for text on Out.
func (s *IO) StyleOut() Style { return Style{on: s.ColorEnabled()} }

// Each style is undone by its own code, not by a reset of everything, so that
// styles nest: bold text with a red word in it stays bold behind that word.

// Bold returns text in bold.
func (s Style) Bold(text string) string { return s.wrap(text, 1, 22) }

// Dim makes text recede.
func (s Style) Dim(text string) string { return s.wrap(text, 2, 22) }

// Red returns text in red, the colour of problems.
func (s Style) Red(text string) string { return s.wrap(text, 31, 39) }

// Green returns text in green, the colour of success.
func (s Style) Green(text string) string { return s.wrap(text, 32, 39) }

// Yellow returns text in yellow, the colour of warnings.
func (s Style) Yellow(text string) string { return s.wrap(text, 33, 39) }

func (s Style) wrap(text string, on, off int) string {
	if !s.on || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[%dm", on, text, off)
}
