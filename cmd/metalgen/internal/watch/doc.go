// Package watch does work again whenever what it reads has changed. It takes directories and a pass, a function that
// does the work once and says what it did. It calls the pass after each change, and prints the lines that a person who
// watches wants to see.
//
// Start reading at run.go. trees.go has what the system is told to watch. It watches directories, never files: editors
// replace files, and a file that replaces another one is not watched.
package watch
