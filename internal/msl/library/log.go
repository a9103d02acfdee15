package library

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// defaultLog is os_log_default (section 6.19).
var defaultLog = &tree.Var{Name: "os_log_default", Type: tree.LogType, Space: "constant", Const: true, Static: true,
	Init: &tree.LogObject{Node: tree.At(parser.Pos{}, tree.LogType)}}

// TextType is the type of a string literal where its value is wanted.
var TextType = tree.PointerTo(tree.Named("char"), "constant", true)

// LogMethods are the methods of os_log that write a message.
var LogMethods = map[string]tree.LogLevel{
	"log_debug": tree.LogDebug, "log_info": tree.LogInfo, "log": tree.LogDefault, "log_error": tree.LogError,
	"log_fault": tree.LogFault,
}
