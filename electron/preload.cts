/** Runs before the page, sandboxed: gives it the bridge, and nothing else of Electron. */
type Bridge = import('./bridge.ts').DesktopBridge
type Events = import('./bridge.ts').DesktopEvents
type Wire = typeof import('./wire.ts').wire
type Initial = import('./wire.ts').Initial

const { contextBridge, ipcRenderer } = require('electron') as typeof import('electron')

const wire: Wire = {
  initial: 'desktop:initial',
  call: 'desktop:call',
  event: 'desktop:event',
  sessions: 'desktop:sessions',
  unread: 'desktop:unread',
}

// Answered at once: the page must not draw before it knows who is signed in.
const { sessions, ...initial }: Initial = ipcRenderer.sendSync(wire.initial)

const bridge: Bridge = {
  ...initial,
  sessions: { initial: sessions, save: (text) => ipcRenderer.send(wire.sessions, text) },
  setUnread: (count) => ipcRenderer.send(wire.unread, count),
  call: (channel, ...args) => ipcRenderer.invoke(wire.call, channel, ...args),
  on(event, listener) {
    const forward = (_: unknown, name: keyof Events, value: never) => {
      if (name === event) listener(value)
    }
    ipcRenderer.on(wire.event, forward)
    return () => ipcRenderer.off(wire.event, forward)
  },
}

contextBridge.exposeInMainWorld('desktop', bridge)
