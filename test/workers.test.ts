/** The built server without the files of its worker threads, as in a package that cannot load them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'pds-workers-'))
let server: ChildProcess | undefined

afterAll(async () => {
  if (server && server.exitCode === null) {
    server.kill()
    await once(server, 'exit')
  }
  rmSync(folder, { recursive: true })
})

test('without its worker files the server hashes passwords and makes backups on the main thread', async () => {
  for (const part of ['dist/server', 'dist/lexicons', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const workers = readdirSync(join(folder, 'dist/server'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => /-worker\.js$/.test(file),
  )
  expect(workers).toHaveLength(8)
  for (const file of workers) rmSync(join(folder, 'dist/server', file))

  const env = { ...process.env, PDS_DATA_DIR: join(folder, 'data'), PDS_PORT: '0' }
  server = spawn(process.execPath, ['dist/server/main.js'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log: string[] = []
  createInterface({ input: server.stderr as never }).on('line', (line) => log.push(line))
  const endpoint = await new Promise<string>((resolve, reject) => {
    server?.once('exit', () => reject(new Error(log.join('\n'))))
    createInterface({ input: server?.stdout as never }).on('line', (line) => {
      const [, url] = /listening on (\S+)/.exec(line) ?? []
      if (url) resolve(url)
    })
  })

  const call = async (method: string, input: object) => {
    const response = await fetch(`${endpoint}/xrpc/com.core.server.${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
    return response.status
  }
  expect(await call('createAccount', { handle: 'alice.test', password: 'alice-password' })).toBe(200)
  expect(await call('createSession', { identifier: 'alice.test', password: 'alice-password' })).toBe(200)
  expect(await call('createSession', { identifier: 'alice.test', password: 'another' })).toBe(401)
  const warnings = log.filter((line) => line.includes('worker cannot be loaded'))
  expect(warnings).toEqual([expect.stringContaining('The password worker cannot be loaded')])

  server.kill()
  await once(server, 'exit')
  const built = (file: string) => import(pathToFileURL(join(folder, 'dist/server', file)).href)
  const { Database } = await built('store/database.js')
  const { schema } = await built('schema/schema.js')
  const { makeBackup } = await built('operation/replicas/local/backups.js')
  const problems: string[] = []
  const onUnloadable = ({ message }: Error) => problems.push(message)
  const [dataDir, now] = [join(folder, 'data'), () => new Date()]
  const store = await Database.open({ directory: dataDir, schema, now, onUnloadable })
  const { name } = await makeBackup({ dataDir, now, store, onUnloadable })
  await store.close()
  expect(existsSync(join(dataDir, 'backups', name, 'end'))).toBe(true)
  expect(problems).toEqual([
    'The store worker cannot be loaded, its jobs run on the main thread',
    'The replica files worker cannot be loaded, its jobs run on the main thread',
  ])
})
