package daemon

type syncCall struct {
	AllowLoss bool `json:"allow_loss,omitempty"`
}

func (c syncCall) allowsLoss() bool { return c.AllowLoss }

var syncCommand = define(command[syncCall, nothing]{
	name: "sync", writes: func(syncCall) bool { return true },
	ask:      func(c *Client, _ syncCall) (nothing, error) { return nothing{}, c.sync() },
	inDaemon: (*daemon).sync,
	alone:    func(l *local, _ syncCall) (nothing, error) { return nothing{}, l.sync() },
})

// Sync makes everything durable and publishes it.
func (w *World) Sync() error {
	_, err := syncCommand.on(w, syncCall{})
	return err
}

func (c *Client) sync() error {
	_, err := ask[nothing](c, "sync", syncCall{c.allowLoss})
	return err
}

// acceptLoss has what is lost published, where that is allowed.
func (c *Client) acceptLoss() error {
	if !c.allowLoss {
		return nil
	}
	return c.sync()
}

func (l *local) sync() error {
	if err := l.awaitPlain(); err != nil {
		return err
	}
	return l.world.Sync()
}

// sync publishes at once what is meant to be lost.
func (d *daemon) sync(c syncCall) (nothing, error) {
	if c.AllowLoss {
		return nothing{}, d.world.AcceptLoss()
	}
	d.world.AwaitNames(d.ended)
	return nothing{}, d.world.Sync()
}
