package esxtop

// Deriver converts the samples of one host to frames, each from one sample and the previous one.
type Deriver struct {
	last *Sample
	plan *plan
}

// Frame returns the host's activity since the previous sample, for the wanted objects and their owners. Without a
// previous sample, or if the host's clock has not advanced, figures that need two samples are absent.
func (d *Deriver) Frame(s *Sample, wanted Objects) *Frame {
	if d.plan == nil || d.plan.schema != s.schema {
		d.plan = newPlan(s.schema)
	}
	w := d.plan.work(d.last, s)
	d.last = s

	f := &Frame{Host: s.Host, MoID: s.MoID, Time: s.Time, Interval: w.interval, Origin: Service}
	wanted = wanted.WithParents() & s.wanted.WithParents()
	for o := range objects { // owners come before the rows they own
		if wanted.Has(o) && d.plan.tables[o] != nil {
			f.Put(o, w.derive(o))
		}
	}
	f.complete()
	return f
}

// work compares two samples. Only the host's monotonic clock counts: the local clock includes slow answers, and the
// host's time of day can be adjusted.
func (p *plan) work(before, now *Sample) *work {
	w := &work{plan: p, now: now, bundles: make([]*bundle, len(p.schema.groups))}
	if before != nil && before.schema == now.schema && now.Clock > before.Clock {
		w.before, w.interval = before, now.Clock-before.Clock
	}
	return w
}

// derive creates the rows of an object.
func (w *work) derive(o Object) []Row {
	t := w.plan.tables[o]
	pick := w.pick(o)
	rows := NewRows(o, len(pick.raw))
	w.rows[o] = rows
	if len(rows) == 0 {
		return rows
	}

	at := place{work: w, bundles: make([]*bundle, len(t.sources)), raw: make([][]int32, len(t.sources))}
	of := make([]members, len(t.sources))
	for k, source := range t.sources {
		at.bundles[k] = w.bundle(source.group)
		of[k] = source.link(w, o, at.bundles[k].now)
	}
	describe := w.describe(o)
	words := make([]string, len(rows)*len(t.texts))
	for i := range rows {
		row := &rows[i]
		row.texts = words[i*len(t.texts) : i*len(t.texts) : (i+1)*len(t.texts)]
		at.row = row
		for k := range of {
			at.raw[k] = of[k].of(i)
		}
		describe(int(pick.raw[i]), row)
		for _, c := range t.numbers {
			row.values[c.slot] = c.figure(&at)
		}
		for k, c := range t.texts {
			if s, ok := c.words(&at); ok {
				row.SetText(c.metric, kept(rows, i, k, s))
			}
		}
	}
	return rows
}
