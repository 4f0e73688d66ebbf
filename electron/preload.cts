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
  unsaved: 'desktop:unsaved',
}

type Listener = (value: unknown) => void
const listeners = new Map<keyof Events, Set<Listener>>()
/** What was told before the page listened to it, the latest of each; lines of the log can be asked for. */
const missed = new Map<keyof Events, unknown>()

// Before the state is asked for, so that no change of it falls in between.
ipcRenderer.on(wire.event, (_, name: keyof Events, value) => {
  const heard = listeners.get(name)
  if (!heard?.size && name !== 'log') missed.set(name, value)
  for (const listener of heard ?? []) listener(value)
})

// Answered at once: the page must not draw before it knows who is signed in. A page that is not ours gets nothing.
const initial: Initial | null = ipcRenderer.sendSync(wire.initial)
if (initial) contextBridge.exposeInMainWorld('desktop', createBridge(initial))

function createBridge({ sessions, ...rest }: Initial): Bridge {
  return {
    ...rest,
    sessions: { initial: sessions, save: (text) => ipcRenderer.send(wire.sessions, text) },
    setUnread: (count) => ipcRenderer.send(wire.unread, count),
    setUnsaved: (isUnsaved) => ipcRenderer.send(wire.unsaved, isUnsaved),
    call: (channel, ...args) => ipcRenderer.invoke(wire.call, channel, ...args),
    on(event, listener) {
      const heard = listeners.get(event) ?? new Set()
      listeners.set(event, heard.add(listener as Listener))
      if (missed.has(event)) listener(missed.get(event) as Events[typeof event])
      missed.delete(event)
      return () => heard.delete(listener as Listener)
    },
  }
}
