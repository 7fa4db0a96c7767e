package manual

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

func program() *cobra.Command {
	run := func(*cobra.Command, []string) {}
	root := &cobra.Command{Use: "tool", Short: "A tool", Long: "A tool that\ndoes things.", CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true}}
	root.PersistentFlags().BoolP("quiet", "q", false, "say nothing")
	cut := &cobra.Command{
		Use: "cut FILE", Aliases: []string{"trim"}, Short: "Cut a file's lines", Run: run,
		Long: `cut cuts C:\dir's lines,
'quoted' and ~/dotted:

  .hidden    a file, -x
  other      "another" ^1

.profile begins this one.

EXIT STATUS
  0  done
  1  nothing
     was cut`,
		Example: "  tool cut 'a b'\n    | wc",
	}
	cut.Flags().IntP("number", "n", 3, "how many")
	cut.Flags().String("to", "", "where `DIR` …")
	cut.Flags().String("secret", "", "")
	_ = cut.Flags().MarkHidden("secret")
	root.AddCommand(cut, &cobra.Command{Use: "inner", Hidden: true, Run: run}, &cobra.Command{Use: "words", Short: "What words are", Long: "Words."})
	return root
}

func TestPages(t *testing.T) {
	at := time.Date(2026, 1, 2, 23, 0, 0, 0, time.FixedZone("", -3600*5))
	pages := Pages(program(), Source{"1.2", &at})
	var names []string
	for _, p := range pages {
		names = append(names, p.Name)
	}
	require.Equal(t, []string{"tool.1", "tool-cut.1", "tool-words.7"}, names)
	require.Equal(t, `.TH "TOOL\-CUT" 1 "2026-01-03" "worldfs 1.2" "worldfs manual"
.SH "NAME"
tool\-cut \- Cut a file\(aqs lines
.SH "SYNOPSIS"
.B "tool cut FILE [flags]"
.br
.B "tool trim"
.SH "DESCRIPTION"
cut cuts C:\edir\(aqs lines, \(aqquoted\(aq and \(ti/dotted:
.PP
.RS "4n"
.nf
\&.hidden    a file, \-x
other      \(dqanother\(dq \(ha1
.fi
.RE
.PP
\&.profile begins this one.
.SH "OPTIONS"
.TP
\fB\-n\fR, \fB\-\-number\fR \fIint\fR
how many (default 3)
.TP
\fB\-\-to\fR \fIDIR\fR
where DIR \[u2026]
.SH "OPTIONS OF ALL COMMANDS"
.TP
\fB\-q\fR, \fB\-\-quiet\fR
say nothing
.SH "EXIT STATUS"
.TP
\fB0\fR
done
.TP
\fB1\fR
nothing
was cut
.SH "EXAMPLES"
.nf
tool cut \(aqa b\(aq
  | wc
.fi
.SH "SEE ALSO"
\fBtool\fR(1)
`, string(pages[1].Text))
	require.Contains(t, string(pages[0].Text), ".SH \"COMMANDS\"\n.TP\n\\fBtool\\-cut\\fR(1)\nCut a file\\(aqs lines\n.TP\n\\fBtool\\-words\\fR(7)\nWhat words are\n")
	require.NotContains(t, string(pages[0].Text)+string(pages[1].Text), "secret")
}

// What roff prints of a text is the text, whatever is in it.
func TestRoffPrintsWhatIsWritten(t *testing.T) {
	_, err := exec.LookPath("mandoc")
	require.NoError(t, err, "scripts/setup.sh test installs it")
	lines := []string{`.TH is no request`, `'nor this`, `\fBnor\fR \e \\ that`, "`~^\"-$%#[]{}|", "Zoë → 火 …", "a  b   c"}
	var w roff
	w.title("X", "1", "2026-01-02", "", "")
	w.section("NAME")
	w.line(`x \- y`)
	w.verbatim(lines)
	cmd := exec.Command("mandoc", "-Tutf8")
	cmd.Stdin = bytes.NewReader(w.bytes())
	out, err := cmd.Output()
	require.NoError(t, err)
	for _, line := range lines {
		require.Contains(t, strings.Split(string(out), "\n"), "       "+line)
	}
}
