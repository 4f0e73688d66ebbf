/** Runs in the sandbox before the page: exposes the bridge, and nothing else of Electron. */
type Bridge = import('./ground/bridge.ts').DesktopBridge
type Events = import('./ground/bridge.ts').DesktopEvents
type Wire = typeof import('./ground/wire.ts').wire
type Initial = import('./ground/wire.ts').Initial

const { contextBridge, ipcRenderer } = require('electron') as typeof import('electron')

const wire: Wire = {
  initial: 'desktop:initial',
  call: 'desktop:call',
  event: 'desktop:event',
  sessions: 'desktop:sessions',
  scroll: 'desktop:scroll',
  unsaved: 'desktop:unsaved',
  held: 'desktop:held',
}

type Listener = (value: unknown) => void
const listeners = new Map<keyof Events, Set<Listener>>()
/** The last value of each event that was sent before the page listened. */
const missed = new Map<keyof Events, unknown>()

// Registered before the initial state is requested, so that no change is lost in between.
ipcRenderer.on(wire.event, (_, name: keyof Events, value) => {
  const registered = listeners.get(name)
  if (!registered?.size) missed.set(name, value)
  for (const listener of registered ?? []) listener(value)
})

// Synchronous: the page must not render before it has the sessions. A foreign page gets null.
const initial: Initial | null = ipcRenderer.sendSync(wire.initial)
if (initial) contextBridge.exposeInMainWorld('desktop', createBridge(initial))

function createBridge({ sessions, ...rest }: Initial): Bridge {
  return {
    ...rest,
    sessions: { initial: sessions, save: (text) => ipcRenderer.send(wire.sessions, text) },
    setScroll: (scroll) => ipcRenderer.send(wire.scroll, scroll),
    setUnsaved: (isUnsaved) => ipcRenderer.send(wire.unsaved, isUnsaved),
    setHeld: (isHeld) => ipcRenderer.send(wire.held, isHeld),
    call: (channel, ...args) => ipcRenderer.invoke(wire.call, channel, ...args),
    on(event, listener) {
      const registered = listeners.get(event) ?? new Set()
      listeners.set(event, registered.add(listener as Listener))
      if (missed.has(event)) listener(missed.get(event) as Events[typeof event])
      missed.delete(event)
      return () => registered.delete(listener as Listener)
    },
  }
}
