package config

// Value is a setting and where it came from: "flag --url", "VPERF_URL", "context prod (FILE)", "GOVC_URL", "default".
type Value struct {
	Text string `json:"value"`
	From string `json:"from"`
}

const fromDefault = "default"

// The keys of settings, the same in every layer. All are flat: viper lower-cases keys, which would mangle anything that
// is spelled with capitals.
const (
	keyURL        = "url"
	keyUser       = "username"
	keyInsecure   = "insecure"
	keyCAFiles    = "tls-ca-certs"
	keyKnownHosts = "tls-known-hosts"
	keyThumbprint = "tls-thumbprint"

	keyPassword        = "password"
	keyPasswordFile    = "password-file"
	keyPasswordCommand = "password-command"
	keyContext         = "context"
)

// layer is everything one place has to say.
type layer struct {
	values    map[string]Value
	passwords []source
}

func (l *layer) set(key, text, from string) {
	if text != "" {
		l.values[key] = Value{text, from}
	}
}

// server is the host that the layer names, or "".
func (l *layer) server() string {
	if v, ok := l.values[keyURL]; ok {
		return server(v.Text)
	}
	return ""
}

// namesOther reports a layer that names another server than a URL does.
func (l *layer) namesOther(url string) bool {
	_, named := l.values[keyURL]
	return named && l.server() != server(url)
}

// shown is the layer's server for people. A URL that cannot be read may hold a password and is not shown.
func (l *layer) shown() string {
	if s := l.server(); s != "" {
		return s
	}
	return "a URL that cannot be read"
}

func newLayer() *layer { return &layer{values: map[string]Value{}} }

// first is the value of the first layer that has one.
func first(layers []*layer, key string) Value {
	for _, l := range layers {
		if v, ok := l.values[key]; ok {
			return v
		}
	}
	return Value{From: fromDefault}
}
