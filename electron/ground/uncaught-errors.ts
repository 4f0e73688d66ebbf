/**
 * Uncaught exceptions and unhandled rejections: stops the server, shows the error and ends the app. Electron's default would
 * show a stack trace and go on, without a window but with the data folder locked.
 */
import { app, dialog } from 'electron'
import { t } from './strings.ts'

export interface Failures {
  /** Ends the app with an error box and exit code 1, after the cleanup. */
  readonly fail: (error: unknown) => void
  /** Sets the cleanup that runs before the app ends. */
  readonly setCleanup: (cleanup: (error: unknown) => Promise<void>) => void
}

export function setupFailures(): Failures {
  let cleanup = async (_error: unknown) => {}
  let hasFailed = false

  const fail = (error: unknown): void => {
    if (hasFailed) return
    hasFailed = true
    cleanup(error)
      .catch(() => {})
      .then(() => {
        // The box may stay open for hours: a new start must not be sent to this process.
        app.releaseSingleInstanceLock()
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
        dialog.showErrorBox(t.failed, text)
        app.exit(1)
      })
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  return {
    fail,
    setCleanup(next) {
      cleanup = next
    },
  }
}
