/** Runs a main file with the stand-in instead of `electron`: `node run.ts MAIN [arguments]`. */
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const double = new URL('./electron.ts', import.meta.url).href
const facade = 'electron-double:facade'

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'electron') return { url: facade, shortCircuit: true }
    return next(specifier, context)
  },
  load(url, context, next) {
    if (url !== facade) return next(url, context)
    // Electron's module has named exports and a default export with all of them.
    const source = `import * as all from '${double}'; export * from '${double}'; export default all`
    return { format: 'module', source, shortCircuit: true }
  },
})

Object.defineProperty(process, 'versions', {
  value: { ...process.versions, electron: '45.4.1', chrome: '150.0.0.0' },
})
process.argv.splice(1, 1)

process.on('disconnect', () => process.exit())

// As in Electron's lib/browser/init.ts: an error box instead of a crash, and the program continues.
process.on('uncaughtException', (error) => {
  if (process.listenerCount('uncaughtException') > 1) return
  process.stderr.write(`A JavaScript error occurred in the main process: ${error.stack}\n`)
})

await import('../desktop/probe.ts')
await import(pathToFileURL(process.argv[1] ?? '').href).catch((error) => {
  void Promise.reject(error)
})
const { app } = await import('./electron.ts')
const { driver } = await import('./driver.ts')
driver.handlers.set('probe', (name: keyof typeof desktopProbe, args: unknown[]) =>
  (desktopProbe[name] as (...args: unknown[]) => unknown)(...args),
)
app.becomeReady()
