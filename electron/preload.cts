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

// Answered at once: the page must not draw before it knows who is signed in. A page that is not ours gets nothing.
const initial: Initial | null = ipcRenderer.sendSync(wire.initial)
if (initial) contextBridge.exposeInMainWorld('desktop', createBridge(initial))

function createBridge({ sessions, ...rest }: Initial): Bridge {
  return {
    ...rest,
    sessions: { initial: sessions, save: (text) => ipcRenderer.send(wire.sessions, text) },
    setUnread: (count) => ipcRenderer.send(wire.unread, count),
    call: (channel, ...args) => ipcRenderer.invoke(wire.call, channel, ...args),
    on(event, listener) {
      const forward = (_: unknown, ...[name, value]: [keyof Events, Events[typeof event]]) => {
        if (name === event) listener(value)
      }
      ipcRenderer.on(wire.event, forward)
      return () => ipcRenderer.off(wire.event, forward)
    },
  }
}
