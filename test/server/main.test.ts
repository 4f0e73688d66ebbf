/** `npm run serve`: the server in its own process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../server/main.ts', import.meta.url))

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-main-'))
})
afterAll(() => rm(folder, { recursive: true }))

function start(...args: string[]) {
  return spawn(process.execPath, ['--no-warnings', script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Runs the program until it ends by itself. */
async function run(...args: string[]) {
  const child = start(...args)
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { output, errors, code }
}

describe('while it runs', () => {
  let child: ReturnType<typeof start>
  let url: string
  beforeAll(async () => {
    child = start('--port', '0', '--data-dir', join(folder, 'data'), '--log-level', 'fatal')
    let output = ''
    for await (const part of child.stdout) {
      output += part
      if (output.includes('data in ')) break
    }
    expect(output).toContain(`data in ${join(folder, 'data')}\n`)
    url = /listening on (\S+)/.exec(output)?.[1] ?? ''
  })

  afterAll(() => child.kill())

  test('answers at the URL that it printed, which is that of the interface in browsers', async () => {
    expect(new URL(url).hostname).toBe('localhost')
    expect((await fetch(`${url}/xrpc/_health`)).status).toBe(200)
  })

  test('another server on its data or its port ends with a sentence', async () => {
    const [data, port] = await Promise.all([
      run('--port', '0', '--data-dir', join(folder, 'data')),
      run('--port', new URL(url).port, '--data-dir', join(folder, 'other')),
    ])
    expect(data).toMatchObject({ code: 1, output: '' })
    expect(data.errors).toContain(`${join(folder, 'data')} is in use by process ${child.pid}`)
    expect(port).toMatchObject({ code: 1, output: '' })
    expect(port.errors).toContain('The port is in use by another program.')
  })

  test.skipIf(process.platform === 'win32')('a signal ends it, and a second one is ignored', async () => {
    const exited = once(child, 'exit')
    child.kill('SIGINT')
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    await expect(fetch(url)).rejects.toThrow()
  })
})

test.skipIf(process.platform === 'win32')(
  'it ends with a sentence when its lock was removed, and leaves the data to the next server',
  async () => {
    const data = join(folder, 'lost')
    const child = start('--port', '0', '--data-dir', data, '--log-level', 'silent')
    const errors = text(child.stderr)
    const exited = once(child, 'exit')
    let output = ''
    for await (const part of child.stdout) {
      output += part
      if (output.includes('data in ')) break
    }
    await rm(join(data, 'pds.lock'))
    const url = /listening on (\S+)/.exec(output)?.[1] ?? ''
    const status = await fetch(`${url}/xrpc/com.core.server.createAccount`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ handle: 'alice.test', password: 'password-1' }),
    }).then(
      (response) => response.status,
      () => 'cut off by the end of the server',
    )
    expect([503, 'cut off by the end of the server']).toContain(status)
    expect(await exited).toEqual([1, null])
    expect(await errors).toContain(`The lock of the data folder ${data} was removed`)
  },
)

test('--help prints the options', async () => {
  const { output, errors, code } = await run('--help')
  expect({ errors, code }).toEqual({ errors: '', code: 0 })
  expect(output).toContain('Usage: npm run serve -- [options]')
  expect(output).toContain('PDS_DATA_DIR')
})

test('errors that the user can fix are printed without a stack', async () => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  const [option, place] = await Promise.all([
    run('--no-such-option'),
    run('--port', '0', '--data-dir', join(file, 'data')),
  ])
  for (const { code, output, errors } of [option, place]) {
    expect({ code, output }).toEqual({ code: 1, output: '' })
    expect(errors).not.toContain('    at ')
  }
  expect(option.errors).toContain('--no-such-option')
  expect(place.errors).toContain('The system returned an error: ENOTDIR')
})
