/** The user interface: first load without a cache, and scrolling an inbox of ten thousand items. */
import type { Account } from '../support/server/server.ts'
import { feed, mentions } from '../support/server/social.ts'
import { fillSignIn, heading, World } from '../support/server/world.ts'
import { heapMegabytes } from './light.ts'
import { median } from './statistics.ts'
import { table } from './table.ts'

/** Milliseconds and kilobytes; medians of several loads. */
interface FirstLoad {
  readonly kilobytes: number
  readonly requests: number
  readonly firstPaint: number
  /** Until a person can type. */
  readonly usable: number
}

interface LongList {
  readonly items: number
  /** Items in the document: those near the window. */
  readonly attached: number
  /** Milliseconds between frames while the wheel turns: at 60 Hz they are 16.7 apart. */
  readonly frameMedian: number
  readonly frameP95: number
  readonly frameMax: number
  /** Heap of the page after a collection. */
  readonly megabytesAtFirst: number
  readonly megabytesAtEnd: number
}

const loads = 7
const items = 10_000
const perCall = 200

export async function benchUi(): Promise<void> {
  const { load, list } = await measureUi()
  table('first load of the user interface, without a cache', [
    {
      '': `median of ${loads}`,
      kB: load.kilobytes,
      requests: load.requests,
      'first paint ms': load.firstPaint,
      'usable ms': load.usable,
    },
  ])
  table('scrolling through a long inbox', [
    {
      '': `${list.items.toLocaleString('en')} items`,
      'in the document': list.attached,
      'frame median ms': list.frameMedian,
      'frame p95 ms': list.frameP95,
      'longest frame ms': list.frameMax,
      'MB at first': list.megabytesAtFirst,
      'MB at the end': list.megabytesAtEnd,
    },
  ])
}

async function measureUi(): Promise<{ load: FirstLoad; list: LongList }> {
  const world = await World.open({ rateLimits: false })
  try {
    const alice = await world.server.account('alice')
    const load = await measureFirstLoad(world)
    await mention(world, alice)
    return { load, list: await measureLongList(world, alice) }
  } finally {
    await world.closeProfiles()
    await world.close()
  }
}

async function measureFirstLoad(world: World): Promise<FirstLoad> {
  const measured: FirstLoad[] = []
  for (let load = 0; load < loads; load++) {
    const page = await world.visitor('/sign-in')
    await page.getByLabel('Handle or email').waitFor()
    measured.push(await page.evaluate<FirstLoad>(readFirstLoad))
    await world.closeProfiles()
  }
  const middle = (of: (load: FirstLoad) => number) => median(measured.map(of))
  return {
    kilobytes: middle((load) => load.kilobytes),
    requests: middle((load) => load.requests),
    firstPaint: middle((load) => load.firstPaint),
    usable: middle((load) => load.usable),
  }
}

/** Runs in the page. A string, because this program is compiled without the types of a browser. */
const readFirstLoad = `(() => {
  const [navigation] = performance.getEntriesByType('navigation')
  const resources = performance.getEntriesByType('resource')
  const bytes = [navigation, ...resources].reduce((sum, entry) => sum + entry.transferSize, 0)
  const [paint] = performance.getEntriesByName('first-contentful-paint')
  return {
    kilobytes: bytes / 1000,
    requests: resources.length + 1,
    firstPaint: paint.startTime,
    usable: performance.now(),
  }
})()`

/** Lets one account mention the other until the inbox is full enough. */
async function mention({ server }: World, account: Account): Promise<void> {
  const bob = await server.account('bob')
  for (let done = 0; done < items; done += perCall) {
    const writes = Array.from({ length: perCall }, (_, index) => ({
      $type: 'com.core.repo.applyWrites#create',
      collection: `${feed}.post`,
      value: { text: `Number ${done + index}`, createdAt: '2030-01-01T00:00:00.000Z', ...mentions(account) },
    }))
    const { status } = await server.post('com.core.repo.applyWrites', { repo: bob.did, writes }, bob)
    if (status !== 200) throw new Error(`applyWrites answered ${status}`)
  }
}

async function measureLongList(world: World, account: Account): Promise<LongList> {
  const page = await world.visitor('/sign-in')
  await fillSignIn(page, account)
  await heading(page, 'Home').waitFor()
  const megabytesAtFirst = await heapMegabytes(page)
  await page.goto(`${world.url}/#/notifications`)
  // By element: computing the roles of ten thousand items takes a browser longer than showing them.
  const list = page.locator('main li')
  await list.first().waitFor()

  const last = list.getByText('Number 0', { exact: true })
  while ((await last.count()) === 0) {
    const height = await page.evaluate<number>('document.documentElement.scrollHeight')
    await page.evaluate(`scrollTo(0, ${height})`)
    await page.waitForFunction(`document.documentElement.scrollHeight > ${height}`)
  }

  await page.evaluate(`(() => {
    window.frames_ = []
    let last
    requestAnimationFrame(function next(at) {
      if (last !== undefined) window.frames_.push(at - last)
      last = at
      requestAnimationFrame(next)
    })
  })()`)
  for (let turn = 0; turn < 120; turn++) await page.mouse.wheel(0, -1500)
  const frames = (await page.evaluate<number[]>('window.frames_')).sort((a, b) => a - b)
  return {
    items,
    attached: await list.count(),
    frameMedian: median(frames),
    frameP95: frames[Math.floor(frames.length * 0.95)] ?? 0,
    frameMax: frames.at(-1) ?? 0,
    megabytesAtFirst,
    megabytesAtEnd: await heapMegabytes(page),
  }
}
