package main

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/runtime"
)

// The JSON of `metalgen run -sanitize -json`. Its keys are an interface: programs read
// them.
type (
	jsonFindings struct {
		Findings []jsonFinding `json:"findings"`
		Notes    []jsonNote    `json:"notes,omitempty"`
		More     int           `json:"more,omitempty"` // that are not in the list
	}
	jsonFinding struct {
		Kind    string      `json:"kind"`
		Kernel  string      `json:"kernel"`
		Message string      `json:"message"`
		Count   int         `json:"count"`
		Places  []jsonPlace `json:"places"`
	}
	// jsonNote is what may be meant, such as elements that no thread writes.
	jsonNote struct {
		Kind    string `json:"kind"`
		Kernel  string `json:"kernel"`
		Message string `json:"message"`
		File    string `json:"file"`
		Line    int    `json:"line"`
	}
	jsonPlace struct {
		File        string `json:"file"`
		Line        int    `json:"line"`
		Column      int    `json:"column"`
		Source      string `json:"source,omitempty"` // the line
		Thread      [3]int `json:"thread"`
		Threadgroup [3]int `json:"threadgroup"`
	}
)

func writeJSON(w io.Writer, found *runtime.Findings, notes []note) error {
	list := jsonFindings{Findings: []jsonFinding{}, More: found.More}
	for _, f := range found.List {
		j := jsonFinding{Kind: f.Kind.String(), Kernel: f.Kernel, Message: f.Msg, Count: f.Count}
		for _, p := range f.Places {
			file, line := fileAndLine(p)
			j.Places = append(j.Places, jsonPlace{file, line, p.Column, p.Line, p.Thread, p.Group})
		}
		list.Findings = append(list.Findings, j)
	}
	for _, n := range notes {
		file, line := n.place()
		list.Notes = append(list.Notes, jsonNote{n.kind, n.kernel, n.text, file, line})
	}
	return encode(w, list)
}

// fileAndLine returns the file and the line of a place.
func fileAndLine(p runtime.Place) (file string, line int) {
	rest := strings.TrimSuffix(p.Pos, ":"+strconv.Itoa(p.Column))
	i := strings.LastIndexByte(rest, ':')
	line, err := strconv.Atoi(rest[i+1:])
	if i < 0 || err != nil {
		return p.Pos, 0
	}
	return rest[:i], line
}

// place returns the file and the line of a note.
func (n note) place() (file string, line int) { return fileAndLine(runtime.Place{Pos: n.line}) }

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// The parts of SARIF 2.1.0 that findings need, which services show beside the lines of a
// change.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID           string          `json:"ruleId"`
		Level            string          `json:"level"`
		Message          sarifText       `json:"message"`
		Locations        []sarifLocation `json:"locations"`
		RelatedLocations []sarifLocation `json:"relatedLocations,omitempty"`
		OccurrenceCount  int             `json:"occurrenceCount"`
	}
	sarifLocation struct {
		PhysicalLocation struct {
			ArtifactLocation struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region struct {
				StartLine   int        `json:"startLine"`
				StartColumn int        `json:"startColumn,omitempty"`
				Snippet     *sarifText `json:"snippet,omitempty"`
			} `json:"region"`
		} `json:"physicalLocation"`
	}
)

// sarifRules are the checks, as SARIF wants them described.
var sarifRules = []sarifRule{
	{runtime.CheckRace.String(), sarifText{"Two threads touch the same byte in no order, and one of them writes."}},
	{runtime.CheckRaceSimdgroup.String(), sarifText{"Two lanes touch the same byte, ordered by lockstep alone."}},
	{runtime.CheckBarrier.String(), sarifText{"Not all threads of the threadgroup reach a barrier."}},
	{runtime.CheckUninit.String(), sarifText{"What nothing has written decides something."}},
	{runtime.CheckShape.String(), sarifText{"What is touched is beyond the stated shape, or outside of a texture."}},
	{runtime.CheckNaN.String(), sarifText{"An operation makes a NaN of operands that are not NaNs."}},
	{runtime.CheckGrid.String(), sarifText{"A grid smaller than the stated one leaves elements unwritten."}},
	{runtime.CheckIdle.String(), sarifText{"A call runs nothing, though it would write a buffer with elements."}},
}

func writeSARIF(w io.Writer, found *runtime.Findings, notes []note) error {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "metalgen", Rules: sarifRules}
	for _, f := range found.List {
		r := sarifResult{
			RuleID: f.Kind.String(), Level: "error", Message: sarifText{f.Kernel + ": " + f.Msg}, OccurrenceCount: f.Count,
		}
		var places []sarifLocation
		for _, p := range f.Places {
			var l sarifLocation
			file, line := fileAndLine(p)
			l.PhysicalLocation.ArtifactLocation.URI = file
			region := &l.PhysicalLocation.Region
			region.StartLine, region.StartColumn = line, p.Column
			if p.Line != "" {
				region.Snippet = &sarifText{p.Line}
			}
			places = append(places, l)
		}
		r.Locations, r.RelatedLocations = places[:1], places[1:]
		run.Results = append(run.Results, r)
	}
	for _, n := range notes {
		var l sarifLocation
		l.PhysicalLocation.ArtifactLocation.URI, l.PhysicalLocation.Region.StartLine = n.place()
		run.Results = append(run.Results, sarifResult{
			RuleID: n.kind, Level: "note", Message: sarifText{n.kernel + ": " + n.text}, Locations: []sarifLocation{l},
			OccurrenceCount: 1,
		})
	}
	return encode(w, sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	})
}
