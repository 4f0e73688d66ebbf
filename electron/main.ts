/** The desktop: one program per data folder, which `desktop.ts` puts together once the system is ready for it. Read this first. */
import { app, dialog } from 'electron'
import { hearLinks } from './deep-link.ts'
import { chooseFolders } from './folders.ts'
import { registerScheme } from './protocol.ts'
import { productName, t } from './strings.ts'

app.setName(productName)
app.enableSandbox()
// Windows shows notifications of programs that the installer has made known by this name.
app.setAppUserModelId('example.desktop-pds')
const folders = chooseFolders()
registerScheme()
const followLinks = hearLinks()

// A second start brings the window of the first to the front, and ends, before it has loaded much.
if (!app.requestSingleInstanceLock()) app.exit()
else {
  // Not awaited: the app is not ready before this file has been run to its end.
  app
    .whenReady()
    .then(() => import('./desktop.ts'))
    .then(({ runDesktop }) => runDesktop(folders, followLinks))
    .catch((error: unknown) => {
      dialog.showErrorBox(
        t.cannotStart,
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      )
      app.exit(1)
    })
}
