/** A server of which most places are folders on disks that hang: a named pipe without a writer hangs as they do. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { folderPlace } from '../../../../server/operation/replicas/places/folder.ts'

const script = fileURLToPath(new URL('../../../../server/main.ts', import.meta.url))

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-hanging-'))
})
afterAll(() => rm(folder, { recursive: true }))

test.skipIf(process.platform === 'win32')(
  'nine folders that hang keep a server neither from answering, nor from copying to the tenth, nor from ending',
  async () => {
    const good = join(folder, 'good')
    const places = [good, ...Array.from({ length: 9 }, (_, index) => join(folder, `hanging-${index}`))]
    for (const place of places) {
      await mkdir(place)
      if (place !== good) execFileSync('mkfifo', [join(place, 'pds-replica')])
    }
    const copies = ['--copies', places.map((place) => pathToFileURL(place).href).join()]
    const args = ['--port', '0', '--data-dir', join(folder, 'data'), '--log-level', 'fatal', ...copies]
    const child = spawn(process.execPath, ['--no-warnings', script, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let output = ''
    for await (const part of child.stdout.iterator({ destroyOnReturn: false })) {
      output += part
      if (output.includes('data in ')) break
    }
    const [, url = ''] = /listening on (\S+)/.exec(output) ?? []
    const body = JSON.stringify({ handle: 'alice.test', email: 'a@mail.test', password: 'password of alice' })
    const headers = { 'content-type': 'application/json' }
    const created = await fetch(`${url}/xrpc/com.core.server.createAccount`, {
      method: 'POST',
      headers,
      body,
    })
    expect(created.status).toBe(200)
    await vi.waitFor(async () => expect(await folderPlace(good).list('bases')).toHaveLength(1), {
      timeout: 30_000,
    })
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  },
)
