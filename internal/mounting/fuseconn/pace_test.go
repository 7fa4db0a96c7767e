package fuseconn

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const us = time.Microsecond

func TestNobodyLooksOnWhereNothingCameSoon(t *testing.T) {
	var p pace
	l := p.begin(0)
	require.False(t, l.again(1*us))
	l.found(time.Second)
	l = p.begin(time.Second)
	require.False(t, l.again(time.Second+1*us))
}

func TestALookGoesOnWhereTheLastRequestCameSoon(t *testing.T) {
	var p pace
	l := p.begin(0)
	l.found(30 * us)
	l = p.begin(50 * us)
	at := 50 * us
	for ; at < 50*us+spinTime; at += us {
		require.True(t, l.again(at), at)
	}
	require.False(t, l.again(at), "not for ever")
	l.found(at + 1*us)
	l = p.begin(at + 2*us)
	require.False(t, l.again(at+3*us), "it came too late")
}

func TestALookEndsWhereAnotherThreadWantsTheProcessor(t *testing.T) {
	var p pace
	l := p.begin(0)
	l.found(1 * us)
	l = p.begin(2 * us)
	require.True(t, l.again(3*us))
	require.False(t, l.again(3*us+preemptTime+1*us))
}

func TestALookEndsWhileOthersAnswer(t *testing.T) {
	var p pace
	l := p.begin(0)
	l.found(1 * us)
	p.leftBehind()
	l = p.begin(2 * us)
	require.False(t, l.again(3*us), "the processor is for them, and for who has been answered")
	p.caughtUp()
	require.True(t, l.again(4*us))
}

func TestSeveralThreadsAreACrowd(t *testing.T) {
	var p pace
	at := time.Second
	p.asked(1, at)
	at += crowdTime
	require.False(t, p.asked(1, at), "one thread for a while")
	require.True(t, p.asked(2, at+1*us))
	require.True(t, p.asked(2, at+crowdTime))
	require.False(t, p.asked(2, at+1*us+crowdTime))
}
