/** Quitting: every request, the first and repeated ones, ends the app after the server is stopped and all data is on disk. */
import { app, powerMonitor } from 'electron'
import { exitDespiteHangs } from '../../server/operation/replicas/places/folder-calls.ts'
import type { Logger } from '../../server/util/log.ts'

export interface Quitting {
  /** Whether the app is about to end, so that closing the window needs no question. */
  readonly isQuitting: () => boolean
  /** Quits, after the question if there is one. */
  quit(): void
  /** Quits without asking. */
  end(): void
  /** As `end`, but leaves the app itself running. */
  stop(): Promise<void>
  /** Sets the question before quitting: whether to discard changes. Undefined: none. */
  setQuestion(question: (() => Promise<boolean>) | undefined): void
}

export interface QuitDeps {
  /** Runs once. */
  finish(): Promise<void>
  readonly log: Logger
}

/** logind waits 5 seconds by default (InhibitDelayMaxSec). All acknowledged writes are on disk already. */
const shutdownMs = 4500

export function setupQuit({ finish, log }: QuitDeps): Quitting {
  let question: (() => Promise<boolean>) | undefined
  let isAsking = false
  let isFinished = false
  let stopping: Promise<void> | undefined

  const stop = (): Promise<void> => {
    stopping ??= finish()
      .catch((error: unknown) => log.error({ err: error }, 'cleanup before quitting failed'))
      .then(() => {
        isFinished = true
      })
    return stopping
  }
  const end = () => void stop().then(() => app.quit())

  app.on('before-quit', (event) => {
    if (isFinished) return
    event.preventDefault()
    if (stopping || isAsking) return
    isAsking = true
    void Promise.resolve(question?.() ?? true)
      .then((isConfirmed) => isConfirmed && end())
      .finally(() => {
        isAsking = false
      })
  })

  app.on('quit', () => exitDespiteHangs(() => {}))

  // The window closes to the tray; the app goes on.
  app.on('window-all-closed', () => {})
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
  onShutdown(() => {
    const limit = setTimeout(() => {
      log.warn('system shutdown: cleanup did not finish in time')
      app.exit()
    }, shutdownMs)
    void stop().then(() => {
      clearTimeout(limit)
      app.exit()
    })
  })
  return {
    isQuitting: () => stopping !== undefined,
    quit: () => app.quit(),
    end,
    stop,
    setQuestion(next) {
      question = next
    },
  }
}

/** Delays the shutdown of the system and calls back. Windows has no such event; there the window emits `session-end`. */
function onShutdown(callback: () => void): void {
  // On Linux Electron counts listeners for `shutdown` before it adds its first listener: without another one first it would
  // never send the event (lib/browser/api/power-monitor.ts).
  powerMonitor.on('resume', () => {})
  // Electron's types leave out the event argument.
  const monitor: NodeJS.EventEmitter = powerMonitor
  monitor.on('shutdown', (event: Electron.Event) => {
    event.preventDefault()
    callback()
  })
}
