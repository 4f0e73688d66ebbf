/** A web app of its own origin on this computer, which consists of one module. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build, type Rolldown } from 'vite'

export interface ServedApp {
  /** Ends in a slash. */
  readonly url: string
  close(): void
}

/** @param entry path of the module, which is bundled with the packages that it uses */
export async function serveApp(entry: string): Promise<ServedApp> {
  const built = (await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: false,
      target: 'esnext',
      lib: { entry, formats: ['es'], fileName: 'app' },
    },
  })) as Rolldown.RolldownOutput[]
  const code = built[0]?.output[0].code ?? ''
  const app = createServer(({ url }, res) => {
    const isScript = url === '/app.js'
    res.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    res.end(isScript ? code : '<!doctype html><body><script type="module" src="/app.js"></script></body>')
  })
  await new Promise<void>((listening) => {
    app.listen(0, '127.0.0.1', listening)
  })
  return {
    url: `http://127.0.0.1:${(app.address() as AddressInfo).port}/`,
    close: () => void app.close(),
  }
}
