package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/invoke"
	"github.com/metalgen/metalgen/internal/frontend"
	"github.com/metalgen/metalgen/internal/ir/build"
	"github.com/metalgen/metalgen/internal/ir/pass"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime"
)

// dumpFlag is the flag -dump: what is printed of a kernel, which then is not run.
type dumpFlag string

// dumpAsm is the value for which a device says what it executes.
const dumpAsm = "asm"

// dumps are the values of the flag, with what they stand for.
var dumps = []candidate{
	{"tree", "the checked source: every conversion and chosen overload spelled out"},
	{"ir", "the kernel as machines get it, after all passes"},
	{"ir:build", "the kernel before the passes"},
	{dumpAsm, "what the CPU device makes of it: instructions on registers of 32 lanes, and machine code"},
}

func (d *dumpFlag) String() string { return string(*d) }

func (d *dumpFlag) Set(value string) error {
	for _, c := range dumps {
		if c.word == value {
			*d = dumpFlag(value)
			return nil
		}
	}
	return errors.New("want tree, ir, ir:build or asm")
}

func (d *dumpFlag) choices() []candidate { return dumps }

// dumpKernel prints the tree or the ir of the kernel of a request.
func (f *runFlags) dumpKernel(w io.Writer, r *invoke.Request) error {
	source := frontend.Source{File: r.Source.File, Text: r.Source.Flat, Version: int(f.version)}
	never := func() bool { return false }
	k, fn, err := frontend.NewLibrary(source).Kernel(r.Kernel.Name, never)
	if err != nil {
		return f.inSource(err)
	}
	if f.dump == "tree" {
		_, err = io.WriteString(w, tree.Print(fn))
		return err
	}
	out, err := build.Kernel(k, fn, build.Options{Device: "the CPU device", Stop: never})
	if err != nil {
		return f.inSource(err)
	}
	if f.dump == "ir" {
		if err := pass.Run(out, pass.Options{}); err != nil {
			return err
		}
	}
	_, err = fmt.Fprint(w, out)
	return err
}

// dumpProgram prints what a device executes for the kernel of a request.
func (f *runFlags) dumpProgram(w io.Writer, r *invoke.Request, dev *runtime.Device) error {
	text, err := dev.Listing(r.Describe())
	if err != nil {
		return f.located(err)
	}
	_, err = fmt.Fprint(w, text)
	return err
}

// inSource is an error of the front end that says where the files of the source are.
func (f *runFlags) inSource(err error) error {
	list, ok := errors.AsType[parser.ErrorList](err)
	if one, is := errors.AsType[*parser.Error](err); is {
		list, ok = parser.ErrorList{one}, true
	}
	if !ok {
		return err
	}
	var all []error
	for _, e := range list {
		all = append(all, errors.New(f.loaded.Describe(e)))
	}
	return mistakes(all)
}
