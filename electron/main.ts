/** The desktop: the embedded server, one window, a tray. Read this first. */
import { app, dialog } from 'electron'
import { runDesktop } from './desktop.ts'
import { chooseFolders } from './folders.ts'
import { registerScheme } from './protocol.ts'
import { productName, t } from './strings.ts'

app.setName(productName)
const folders = chooseFolders()
registerScheme()

// One program per data folder: a second start brings the window of the first to the front, and ends.
if (!app.requestSingleInstanceLock()) app.exit()
else {
  // Not awaited: the app is not ready before this file has been run to its end.
  app
    .whenReady()
    .then(() => runDesktop(folders))
    .catch((error: unknown) => {
      dialog.showErrorBox(
        t.cannotStart,
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      )
      app.exit(1)
    })
}
