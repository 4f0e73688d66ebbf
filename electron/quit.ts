/** The end: whoever asks for it, and however often, the program ends once everything is on disk. */
import { app, powerMonitor } from 'electron'
import type { Logger } from '../server/log.ts'

export interface Quitting {
  readonly isQuitting: () => boolean
  quit(): void
}

/** @param finish everything that has to be done before; runs once */
export function quitGracefully(finish: () => Promise<void>, log: Logger): Quitting {
  let state: 'running' | 'finishing' | 'finished' = 'running'

  app.on('before-quit', (event) => {
    if (state === 'finished') return
    event.preventDefault()
    if (state === 'finishing') return
    state = 'finishing'
    void finish()
      .catch((error: unknown) => log.error({ err: error }, 'not everything could be finished'))
      .then(() => {
        state = 'finished'
        app.quit()
      })
  })

  // The window goes to the tray; the program goes when it is told to.
  app.on('window-all-closed', () => {})
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => app.quit())
    // The types leave out the event: the system waits where it is prevented.
  ;(powerMonitor as NodeJS.EventEmitter).on('shutdown', (event: Electron.Event) => {
    event.preventDefault()
    app.quit()
  })
  return { isQuitting: () => state !== 'running', quit: () => app.quit() }
}
