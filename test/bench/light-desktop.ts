/** Start and memory of the desktop: of its main process without a window, and of a window that is opened again. */
import { call } from '../support/desktop/bridge.ts'
import { type App, isStandIn, Machine } from '../support/desktop/desktop.ts'
import { fillSignIn, heading } from '../support/server/world.ts'
import { heapMegabytes, type Measurement } from './light.ts'
import { median } from './statistics.ts'

export interface DesktopMeasurement {
  readonly main: Measurement
  readonly nextWindow: Measurement
  readonly isStandIn: boolean
}

export async function measureDesktop(rounds: number): Promise<DesktopMeasurement> {
  const machine = await Machine.create()
  try {
    const starts: number[] = []
    const sizes: number[] = []
    for (let round = 0; round < rounds; round++) {
      const begin = performance.now()
      const app = await machine.start({ args: ['--hidden'], isBundled: false })
      await untilTray(app)
      starts.push(performance.now() - begin)
      sizes.push((await app.look()).megabytes)
      await app.quit()
    }
    const main = { ms: starts, megabytes: median(sizes) }
    return { main, nextWindow: await measureWindow(machine, rounds), isStandIn }
  } finally {
    await machine.close()
  }
}

/** Until the tray says that the server runs. */
async function untilTray(app: App): Promise<void> {
  while (!(await app.look()).tray?.toolTip.includes('Running'));
}

/** From the click in the tray until Home has its heading. */
async function measureWindow(machine: Machine, rounds: number): Promise<Measurement> {
  const app = await machine.start({ isBundled: false })
  const first = await app.page()
  await call(first, 'server.start')
  const account = { handle: 'alice.test', password: 'password of the bench' }
  const url = `${machine.endpoint}/xrpc/com.core.server.createAccount`
  const headers = { 'content-type': 'application/json' }
  await fetch(url, { method: 'POST', headers, body: JSON.stringify(account) })
  await first.evaluate("location.hash = '#/sign-in'")
  await fillSignIn(first, account)
  await heading(first, 'Home').waitFor()

  const ms: number[] = []
  let megabytes = Number.NaN
  for (let round = 0; round < rounds; round++) {
    await app.closeWindow()
    while ((await app.look()).windows.length > 0);
    const begin = performance.now()
    await app.clickTray('Open Desktop PDS')
    const page = await app.page()
    await heading(page, 'Home').waitFor()
    ms.push(performance.now() - begin)
    megabytes = await heapMegabytes(page)
  }
  await app.quit()
  return { ms, megabytes }
}
