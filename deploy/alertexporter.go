package deploy

func auditAlerts() []alert {
	finding := `rule="power-policy",severity="critical",outcome="fail"`
	found := alert{name: "VperfFindingsCritical", after: "15m", page: "best-practices.md", summary: "The audit found what costs a lot of performance.",
		text:  `Rule {{ $labels.rule }} fails for {{ $value }} objects of {{ $labels.instance }}: vperf explain {{ $labels.rule }}`,
		plain: map[string]string{"warning": `vperf_rule_findings{severity="critical",outcome="fail"} > 0`}}
	found.checks = []check{
		{name: "three hosts", series: rows(`vperf_rule_findings{`+finding+`}`, "3x60"), want: expect{{"warning", labels{"rule": "power-policy", "outcome": "fail"},
			`Rule power-policy fails for 3 objects of vc01: vperf explain power-policy`}}},
		{name: "waived", series: rows(`vperf_rule_findings{rule="power-policy",severity="critical",outcome="waived"}`, "3x60")},
		{name: "less than critical", series: rows(`vperf_rule_findings{rule="power-policy",severity="high",outcome="fail"}`, "3x60")},
	}

	late := alert{name: "VperfAuditStale", after: "10m", page: "exporter.md#vperfauditstale", summary: "The configuration has not been judged for long.",
		text:  `The last audit of {{ $labels.instance }} was {{ $value | humanizeDuration }} ago.`,
		plain: map[string]string{"warning": "time() - vperf_audit_timestamp_seconds > 3600"}}
	late.checks = []check{
		{name: "since two hours", at: "2h", series: rows(`vperf_audit_timestamp_seconds`, "0x120"), want: expect{{"warning", labels{}, `The last audit of vc01 was 2h 0m 0s ago.`}}},
		{name: "every five minutes", at: "2h", series: rows(`vperf_audit_timestamp_seconds`, "0+60x120")},
	}
	return []alert{found, late}
}

func exporterAlerts() []alert {
	return append(targetAlerts(), append(collectorAlerts(), serverAlerts()...)...)
}

func targetAlerts() []alert {
	down := alert{name: "VperfTargetDown", after: "2m", page: "exporter.md#vperftargetdown", summary: "vCenter or a host gives no samples.",
		text:  `{{ $labels.instance }} has given no samples for two minutes. The landing page of the exporter says why.`,
		plain: map[string]string{"critical": "vperf_up == 0"}}
	down.checks = []check{
		{name: "down", series: rows(`vperf_up`, "1x10 0x50"), want: expect{{"critical", labels{}, `vc01 has given no samples for two minutes. The landing page of the exporter says why.`}}},
		{name: "back", series: rows(`vperf_up`, "0x39 1x20")},
	}

	scrape := alert{name: "VperfScrapeFails", after: "5m", page: "exporter.md#vperfscrapefails", summary: "Prometheus cannot scrape vperf.",
		text:  `Prometheus gets nothing of {{ $labels.instance }} (job {{ $labels.job }}).`,
		plain: map[string]string{"critical": `up{job=~"vperf.*"} == 0`}}
	scrape.checks = []check{
		{name: "fails", series: rows(`up`, "0x60"), want: expect{{"critical", labels{}, `Prometheus gets nothing of vc01 (job vperf).`}}},
		{name: "works", series: rows(`up`, "1x60")},
	}

	stale := alert{name: "VperfSamplesStale", after: "2m", page: "exporter.md#vperfsamplesstale", summary: "The newest sample is old.",
		text:  `The newest sample of {{ $labels.instance }} is {{ $value | humanizeDuration }} old; there is one every 20 s.`,
		plain: map[string]string{"warning": "target:vperf_sample_age_seconds > 120"}}
	stale.checks = []check{
		{name: "stuck since half an hour", series: rows(`vperf_sample_timestamp_seconds`, "600x60"), want: expect{{"warning", labels{}, `The newest sample of vc01 is 30m 0s old; there is one every 20 s.`}}},
		{name: "a minute", series: rows(`vperf_sample_timestamp_seconds`, "-60+60x60")},
	}

	missed := alert{name: "VperfSamplesMissed", after: "10m", page: "exporter.md#vperfsamplesmissed", summary: "Samples are lost.",
		text:  `{{ $value | humanizePercentage }} of the samples of {{ $labels.instance }} could not be had. vperf_samples_missed_total says why.`,
		plain: map[string]string{"warning": "target:vperf_samples_missed:ratio_rate15m > 0.01"}}
	missed.checks = []check{
		{name: "one in ten", series: rows(`vperf_samples_missed_total{reason="timeout"}`, "0+30x60", `vperf_samples_collected_total`, "0+270x60"), want: expect{{"warning", labels{}, `10% of the samples of vc01 could not be had. vperf_samples_missed_total says why.`}}},
		{name: "a few, once", series: rows(`vperf_samples_missed_total{reason="timeout"}`, "0x5 30x60", `vperf_samples_collected_total`, "0+270x60")},
	}
	return []alert{down, scrape, stale, missed}
}

func collectorAlerts() []alert {
	failing := alert{name: "VperfCollectorFailing", after: "15m", page: "exporter.md#vperfcollectorfailing", summary: "A part of the collection does not get all it expects.",
		text:  `Collector {{ $labels.collector }} of {{ $labels.instance }} has not got all it expects for a quarter of an hour.`,
		plain: map[string]string{"warning": "vperf_collector_success == 0"}}
	snapshot := `collector="snapshot"`
	failing.checks = []check{
		{name: "fails", series: rows(`vperf_collector_success{`+snapshot+`}`, "0x60"), want: expect{{"warning", labels{"collector": "snapshot"}, `Collector snapshot of vc01 has not got all it expects for a quarter of an hour.`}}},
		{name: "failed once", series: rows(`vperf_collector_success{`+snapshot+`}`, "1x30 0 1x30")},
	}

	missing := alert{name: "VperfEntitiesMissing", after: "15m", page: "exporter.md#vperfentitiesmissing", summary: "Of some hosts or VMs nothing is known.",
		text:  `Collector {{ $labels.collector }} of {{ $labels.instance }} lacks {{ $value }} hosts, VMs or others.`,
		plain: map[string]string{"warning": "vperf_collector_entities_expected - vperf_collector_entities_collected > 0"}}
	performance := `collector="performance"`
	missing.checks = []check{
		{name: "two", series: rows(`vperf_collector_entities_expected{`+performance+`}`, "60x60", `vperf_collector_entities_collected{`+performance+`}`, "58x60"), want: expect{{"warning", labels{"collector": "performance"}, `Collector performance of vc01 lacks 2 hosts, VMs or others.`}}},
		{name: "all there", series: rows(`vperf_collector_entities_expected{`+performance+`}`, "60x60", `vperf_collector_entities_collected{`+performance+`}`, "60x60")},
	}

	dropped := alert{name: "VperfSeriesDropped", after: "5m", page: "exporter.md#vperfseriesdropped", summary: "A target has more series than it may.",
		text:  `{{ $value }} series of {{ $labels.instance }} are over the limit and not shown.`,
		plain: map[string]string{"warning": "vperf_series_over_limit > 0"}}
	dropped.checks = []check{
		{name: "over", series: rows(`vperf_series_over_limit`, "1200x60"), want: expect{{"warning", labels{}, `1200 series of vc01 are over the limit and not shown.`}}},
		{name: "not now", series: rows(`vperf_series_over_limit`, "1200x20 0x40")},
	}

	near := alert{name: "VperfSeriesNearLimit", after: "1h", page: "exporter.md#vperfseriesdropped", summary: "A target nears its limit of series.",
		text:  `{{ $labels.instance }} has {{ $value | humanizePercentage }} of the series that it may have.`,
		plain: map[string]string{"info": "vperf_series / (vperf_series_limit > 0) > 0.9"}}
	near.checks = []check{
		{name: "95 %", at: "2h", series: rows(`vperf_series`, "475000x120", `vperf_series_limit`, "500000x120"), want: expect{{"info", labels{}, `vc01 has 95% of the series that it may have.`}}},
		{name: "half", at: "2h", series: rows(`vperf_series`, "250000x120", `vperf_series_limit`, "500000x120")},
	}
	return []alert{failing, missing, dropped, near}
}

func serverAlerts() []alert {
	reload := alert{name: "VperfConfigReloadFailed", after: "5m", page: "exporter.md#vperfconfigreloadfailed", summary: "The exporter's new config is bad.",
		text:  `vperf at {{ $labels.instance }} could not read its config and goes on with the one before.`,
		plain: map[string]string{"warning": "vperf_config_last_reload_successful == 0"}}
	reload.checks = []check{
		{name: "bad", series: rows(`vperf_config_last_reload_successful`, "1x20 0x40"), want: expect{{"warning", labels{}, `vperf at vc01 could not read its config and goes on with the one before.`}}},
		{name: "mended", series: rows(`vperf_config_last_reload_successful`, "0x20 1x40")},
	}
	logins := alert{name: "VperfLogsInOften", after: "15m", page: "exporter.md#vperflogsinoften", summary: "Sessions with vCenter do not last.",
		text:  `vperf logs in to {{ $labels.target }} {{ $value | humanize }} times an hour.`,
		plain: map[string]string{"warning": "rate(vperf_logins_total[15m]) * 3600 > 30"}}
	logins.checks = []check{
		{name: "once a minute", series: rows(`vperf_logins_total{target="vc01"}`, "0+1x60"), want: expect{{"warning", labels{"target": "vc01"}, `vperf logs in to vc01 60 times an hour.`}}},
		{name: "once an hour", series: rows(`vperf_logins_total{target="vc01"}`, "0x30 1x30")},
	}
	return []alert{reload, logins}
}
