/** A video of a private server in a client's page of another origin, played with the library that the network's web clients use. */
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build, type Rolldown } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blobOf } from '../support/records/blobs.ts'
import { owner as alice, setupWorld, world } from '../support/server/setup-world.ts'

setupWorld({ accounts: ['alice'] })

const support = join(import.meta.dirname, '../support')
let client: Server

beforeAll(async () => {
  const built = (await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      ...{ write: false, minify: false, target: 'esnext' },
      lib: { entry: join(support, 'page/player-page.ts'), formats: ['es'], fileName: 'page' },
    },
  })) as Rolldown.RolldownOutput[]
  const code = built[0]?.output[0].code ?? ''
  client = createServer(({ url }, res) => {
    const isScript = url === '/page.js'
    res.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    res.end(isScript ? code : '<!doctype html><body><script type="module" src="/page.js"></script></body>')
  })
  await new Promise<void>((listening) => {
    client.listen(0, '127.0.0.1', listening)
  })
}, 60_000)
afterAll(() => client.close())

test('a video plays', async () => {
  const video = await blobOf(
    world.server,
    alice,
    await readFile(join(support, 'records/video.mp4')),
    'video/mp4',
  )
  const collection = 'app.example.feed.post'
  const embed = { $type: 'app.example.embed.video', video }
  const record = { $type: collection, text: 'Watch', embed, createdAt: new Date().toISOString() }
  const created = await world.server.post(
    'com.core.repo.createRecord',
    { repo: alice.did, collection, record },
    alice,
  )
  const { body } = await world.server.get('app.example.feed.getPosts', { uris: created.body.uri }, alice)
  const page = await world.visitor()
  const { port } = client.address() as AddressInfo
  await page.goto(`http://127.0.0.1:${port}/#${encodeURIComponent(body.posts[0].embed.playlist)}`)
  await page.locator('body[data-playing], body[data-error]').waitFor()
  expect(await page.evaluate('({ ...document.body.dataset })')).toEqual({ playing: '160' })
})
