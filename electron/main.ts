/** Entry point of the desktop app: the steps before Electron is ready, in this order. Then `desktop.ts` takes over. Read this first. */
import '../server/util/file-threads.ts'
import { app } from 'electron'
import { chooseFolders } from './ground/folders.ts'
import { registerScheme } from './ground/protocol.ts'
import { productName } from './ground/strings.ts'
import { type Failures, setupFailures } from './ground/uncaught-errors.ts'
import { collectLinks } from './system/deep-link.ts'

// First, so that an error in any later line ends the app with a message.
const failures = setupFailures()
try {
  start(failures)
} catch (error) {
  failures.fail(error)
}

function start({ fail, setCleanup }: Failures): void {
  app.setName(productName)
  // enableSandbox() would remove --no-sandbox, although the zygote has started unsandboxed by then. Each window has `sandbox: true` in any case.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
  // A GPU process that fails ends the whole program, and with it the server. The interface works without one.
  app.disableHardwareAcceleration()
  // The installer registers this name; Windows shows notifications of registered programs only.
  app.setAppUserModelId('example.desktop-pds')
  const folders = chooseFolders()
  registerScheme()
  const followLinks = collectLinks()

  // A second start brings the window of the first to the front and ends, before it has loaded much.
  if (!app.requestSingleInstanceLock()) {
    app.exit()
    return
  }
  // Not awaited: the app becomes ready only after this file has run to its end.
  app
    .whenReady()
    .then(() => import('./desktop.ts'))
    .then(({ runDesktop }) => runDesktop({ folders, followLinks, setCleanup }))
    .catch(fail)
}
