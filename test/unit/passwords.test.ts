import { execFile as execFileCallback } from 'node:child_process'
import { promisify } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPasswordHasher, type PasswordHasher, PasswordQueueFull } from '../../server/auth/passwords.ts'

const execFile = promisify(execFileCallback)

// The least cost bcrypt knows: the tests are about what is done, not about how long it takes.
const COST = 4

let passwords: PasswordHasher

beforeEach(() => {
  passwords = createPasswordHasher({ cost: COST })
})

afterEach(() => passwords.close())

test('a password is known by its hash, and another one is not', async () => {
  const hash = await passwords.hash('correct horse')
  expect(hash).toMatch(/^\$2b\$04\$.{53}$/)
  expect(await passwords.verify('correct horse', hash)).toBe(true)
  expect(await passwords.verify('Correct horse', hash)).toBe(false)
})

test('the same password never has the same hash twice', async () => {
  expect(await passwords.hash('twice')).not.toBe(await passwords.hash('twice'))
})

test('the cost is 10 unless another one is asked for', async () => {
  const standard = createPasswordHasher()
  try {
    expect(await standard.hash('password')).toMatch(/^\$2b\$10\$/)
  } finally {
    await standard.close()
  }
})

test('a hash of another cost is still known', async () => {
  const stronger = createPasswordHasher({ cost: 5 })
  try {
    expect(await passwords.verify('password', await stronger.hash('password'))).toBe(true)
  } finally {
    await stronger.close()
  }
})

test('without a hash the answer is no', async () => {
  expect(await passwords.verify('anything', undefined)).toBe(false)
})

test('without a hash the same work is done: it waits its turn behind the others', async () => {
  const order: string[] = []
  const hash = await passwords.hash('password')
  await Promise.all([
    passwords.verify('first', hash).then(() => order.push('known')),
    passwords.verify('second', undefined).then(() => order.push('unknown')),
    passwords.verify('third', hash).then(() => order.push('known')),
  ])
  expect(order).toEqual(['known', 'unknown', 'known'])
})

test('without a hash the answer takes as long as with one', async () => {
  const slower = createPasswordHasher({ cost: 9 })
  try {
    const hash = await slower.hash('password')
    const known = await fastest(() => slower.verify('wrong', hash))
    const unknown = await fastest(() => slower.verify('wrong', undefined))
    expect(unknown / known).toBeGreaterThan(0.5)
    expect(unknown / known).toBeLessThan(2)
  } finally {
    await slower.close()
  }
})

async function fastest(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < 5; run++) {
    const start = performance.now()
    await work()
    times.push(performance.now() - start)
  }
  return Math.min(...times)
}

describe('every character counts', () => {
  const long = 'x'.repeat(255)
  test.each([
    ['past 72 bytes', `${long}a`, `${long}b`],
    ['after a NUL', 'before\0after', 'before\0other'],
    ['outside ASCII', 'pässwörd', 'passwörd'],
    ['beyond the basic plane', 'key 🔑', 'key 🔒'],
    ['in an empty password', '', ' '],
    ['beside a lone surrogate', 'a\ud800', 'b\ud800'],
  ])('%s', async (_, password, other) => {
    const hash = await passwords.hash(password)
    expect(await passwords.verify(password, hash)).toBe(true)
    expect(await passwords.verify(other, hash)).toBe(false)
  })
})

test('the hash is bcrypt of the base64 SHA-256 digest, as another implementation computes it', async () => {
  // crypt(3) of libxcrypt over the base64 SHA-256 digest of the password.
  const hash = '$2b$04$abcdefghijklmnopqrstuufm19hcnOB5jVIa57e1DmQZ/XByRYI72'
  expect(await passwords.verify('correct horse', hash)).toBe(true)
})

test.each(['', 'plain text', '$2b$04$short', `$2b$99$${'a'.repeat(53)}`, `$9z$04$${'a'.repeat(53)}`])(
  'a stored value that is no hash (%j) is an error, and the worker goes on',
  async (stored) => {
    await expect(passwords.verify('password', stored)).rejects.toThrow('Not a bcrypt hash.')
    expect(await passwords.verify('password', await passwords.hash('password'))).toBe(true)
  },
)

test('a cut-off hash matches nothing', async () => {
  const hash = await passwords.hash('password')
  expect(await passwords.verify('password', hash.slice(0, -1))).toBe(false)
})

test('more waiting passwords than allowed are turned away, and only those', async () => {
  const small = createPasswordHasher({ cost: COST, maxWaiting: 2 })
  try {
    const results = await Promise.allSettled([small.hash('1'), small.hash('2'), small.hash('3')])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(results[2]).toMatchObject({ reason: expect.any(PasswordQueueFull) })
    expect(await small.hash('4')).toMatch(/^\$2b\$/)
  } finally {
    await small.close()
  }
})

test('closing rejects what waits and what comes later', async () => {
  const waiting = passwords.hash('waiting')
  const outcome = expect(waiting).rejects.toThrow('The password worker has ended.')
  await passwords.close()
  await outcome
  await expect(passwords.hash('late')).rejects.toThrow('The password hasher is closed.')
  await passwords.close()
})

describe('the worker', () => {
  test('starts with the first password, once; when it dies the next password starts another', async () => {
    const workers: Worker[] = []
    const onWorker = (worker: Worker) => workers.push(worker)
    process.on('worker', onWorker)
    try {
      await passwords.verify('password', undefined)
      await passwords.verify('password', undefined)
      expect(workers).toHaveLength(1)

      const waiting = Promise.allSettled([passwords.hash('one'), passwords.hash('two')])
      await workers[0]?.terminate()
      expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected'])

      expect(await passwords.verify('password', await passwords.hash('password'))).toBe(true)
      expect(workers).toHaveLength(2)
    } finally {
      process.off('worker', onWorker)
    }
  })

  test('keeps the process alive while it works and lets it end when it is idle', async () => {
    const source = new URL('../../server/auth/passwords.ts', import.meta.url).href
    const script = `
      import { createPasswordHasher } from '${source}'
      const passwords = createPasswordHasher({ cost: ${COST} })
      const hash = await passwords.hash('password')
      process.stdout.write(String(await passwords.verify('password', hash)))`
    const { stdout } = await execFile(process.execPath, ['--input-type=module', '--eval', script])
    expect(stdout).toBe('true')
  })
})
