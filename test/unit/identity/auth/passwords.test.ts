/** Hashing of passwords: the stored hash, and the division of work among threads and callers. */
import { execFile as execFileCallback } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import { bcryptSync, bcryptYielding } from '../../../../server/identity/auth/bcrypt.ts'
import {
  createPasswordHasher,
  type PasswordHasher,
  PasswordQueueFull,
} from '../../../../server/identity/auth/passwords.ts'

const execFile = promisify(execFileCallback)

/** The lowest that bcrypt allows: these tests do not depend on how long a hash takes. */
const cost = 4

let open: PasswordHasher[] = []
function hasher(options: Parameters<typeof createPasswordHasher>[0] = {}): PasswordHasher {
  const created = createPasswordHasher({ cost, ...options })
  open.push(created)
  return created
}

afterEach(async () => {
  await Promise.all(open.map((each) => each.close()))
  open = []
})

const owner = 'owner'
const attacker = 'attacker'

describe('hashes', () => {
  test('verify accepts the password and refuses another one', async () => {
    const passwords = hasher()
    const hash = await passwords.hash('correct horse', owner)
    expect(hash).toMatch(/^\$2b\$04\$.{53}$/)
    expect(await passwords.verify('correct horse', hash, owner)).toBe(true)
    expect(await passwords.verify('Correct horse', hash, owner)).toBe(false)
  })

  test('two hashes of one password differ', async () => {
    const passwords = hasher()
    expect(await passwords.hash('twice', owner)).not.toBe(await passwords.hash('twice', owner))
  })

  test('the default cost is 10', async () => {
    const passwords = createPasswordHasher()
    open.push(passwords)
    expect(await passwords.hash('password', owner)).toMatch(/^\$2b\$10\$/)
  })

  test('a hash of another cost is verified', async () => {
    const hash = await hasher({ cost: 5 }).hash('password', owner)
    expect(await hasher().verify('password', hash, owner)).toBe(true)
  })

  test('a hash is bcrypt of the base64 SHA-256 digest, as another implementation computes it', async () => {
    // crypt(3) of libxcrypt over the base64 SHA-256 digest of the password.
    const hash = '$2b$04$abcdefghijklmnopqrstuufm19hcnOB5jVIa57e1DmQZ/XByRYI72'
    expect(await hasher().verify('correct horse', hash, owner)).toBe(true)
  })

  test.each(['', 'plain text', '$2b$04$short', `$2b$99$${'a'.repeat(53)}`, `$9z$04$${'a'.repeat(53)}`])(
    'verify rejects the malformed stored hash %j, and the thread keeps working',
    async (stored) => {
      const passwords = hasher({ threads: 1 })
      await expect(passwords.verify('password', stored, owner)).rejects.toThrow('Not a bcrypt hash.')
      expect(await passwords.verify('password', await passwords.hash('password', owner), owner)).toBe(true)
    },
  )

  test('a truncated hash matches no password', async () => {
    const passwords = hasher()
    const hash = await passwords.hash('password', owner)
    expect(await passwords.verify('password', hash.slice(0, -1), owner)).toBe(false)
  })

  const long = 'x'.repeat(255)
  test.each([
    ['past 72 bytes', `${long}a`, `${long}b`],
    ['after a NUL', 'before\0after', 'before\0other'],
    ['outside ASCII', 'pässwörd', 'passwörd'],
    ['beyond the basic plane', 'key 🔑', 'key 🔒'],
    ['in an empty password', '', ' '],
    ['beside a lone surrogate', 'a\ud800', 'b\ud800'],
  ])('every character counts: %s', async (_, password, other) => {
    const passwords = hasher()
    const hash = await passwords.hash(password, owner)
    expect(await passwords.verify(password, hash, owner)).toBe(true)
    expect(await passwords.verify(other, hash, owner)).toBe(false)
  })
})

describe('on the main thread, where no thread can be started', () => {
  test('hashes are the same', async () => {
    const salt = bcryptSync({ secret: 'digest', salt: cost }).slice(0, 29)
    const job = { secret: 'digest', salt }
    expect(await bcryptYielding(job)).toBe(bcryptSync(job))
  })

  test('the event loop turns meanwhile', async () => {
    let turns = 0
    const count = setInterval(() => turns++, 0)
    // bcrypt yields every 100 ms: so many rounds take several times that on any machine.
    await bcryptYielding({ secret: 'digest', salt: 13 })
    clearInterval(count)
    expect(turns).toBeGreaterThan(0)
  })

  test('a malformed hash is rejected', async () => {
    const job = { secret: 'digest', salt: '$9z$04$' }
    await expect(bcryptYielding(job)).rejects.toThrow('Not a bcrypt hash.')
    expect(() => bcryptSync(job)).toThrow('Not a bcrypt hash.')
  })
})

describe('without a stored hash', () => {
  test('verify returns false', async () => {
    expect(await hasher().verify('anything', undefined, owner)).toBe(false)
  })

  test('verify waits in the queue like any other', async () => {
    const passwords = hasher({ threads: 1 })
    const order: string[] = []
    const hash = await passwords.hash('password', owner)
    await Promise.all([
      passwords.verify('first', hash, owner).then(() => order.push('known')),
      passwords.verify('second', undefined, owner).then(() => order.push('unknown')),
      passwords.verify('third', hash, owner).then(() => order.push('known')),
    ])
    expect(order).toEqual(['known', 'unknown', 'known'])
  })

  test('verify takes as long as with one', async () => {
    const passwords = hasher({ cost: 9 })
    const hash = await passwords.hash('password', owner)
    const known = await leastCpu(() => passwords.verify('wrong', hash, owner))
    const unknown = await leastCpu(() => passwords.verify('wrong', undefined, owner))
    expect(unknown / known).toBeGreaterThan(0.5)
    expect(unknown / known).toBeLessThan(2)
  })

  /** CPU time of all threads in microseconds: unlike elapsed time it does not depend on other processes. */
  async function leastCpu(work: () => Promise<unknown>): Promise<number> {
    const times: number[] = []
    for (let run = 0; run < 5; run++) {
      const start = process.cpuUsage()
      await work()
      const { user, system } = process.cpuUsage(start)
      times.push(user + system)
    }
    return Math.min(...times)
  }
})

describe('the queue', () => {
  test('sources take turns: one password of the owner waits behind one of an attacker', async () => {
    const passwords = hasher({ threads: 1 })
    const order: string[] = []
    const run = (source: string) => passwords.hash('password', source).then(() => order.push(source))
    await Promise.all([...Array.from({ length: 20 }, () => run(attacker)), run(owner)])
    expect(order.indexOf(owner)).toBe(2)
  })

  test('a full queue drops the newest password of the source with the most', async () => {
    const passwords = hasher({ threads: 1, maxWaiting: 5 })
    const attacks = Array.from({ length: 6 }, () => passwords.hash('guess', attacker))
    const results = Promise.allSettled(attacks)
    expect(await passwords.hash('password', owner)).toMatch(/^\$2b\$/)
    const rejected = (await results).flatMap((result) => (result.status === 'rejected' ? result.reason : []))
    expect(rejected).toEqual([expect.any(PasswordQueueFull)])
    expect((await results)[5]?.status).toBe('rejected')
  })

  test('a full queue refuses more passwords of one source, and takes them again later', async () => {
    const passwords = hasher({ threads: 1, maxWaiting: 2 })
    const results = await Promise.allSettled(['1', '2', '3', '4'].map((each) => passwords.hash(each, owner)))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
    expect(results[3]).toMatchObject({ reason: expect.any(PasswordQueueFull) })
    expect(await passwords.hash('5', owner)).toMatch(/^\$2b\$/)
  })
})

describe('threads', () => {
  /** Workers that start while `work` runs. */
  async function startedDuring(work: (workers: Worker[]) => Promise<unknown>): Promise<Worker[]> {
    const workers: Worker[] = []
    const onWorker = (worker: Worker) => workers.push(worker)
    process.on('worker', onWorker)
    try {
      await work(workers)
      return workers
    } finally {
      process.off('worker', onWorker)
    }
  }

  test('one thread serves passwords that come one after another', async () => {
    const passwords = hasher({ threads: 4 })
    const workers = await startedDuring(async () => {
      await passwords.hash('one', owner)
      await passwords.hash('two', owner)
    })
    expect(workers).toHaveLength(1)
  })

  test('passwords that come at once start threads up to the limit', async () => {
    const passwords = hasher({ threads: 3 })
    const all = () => Promise.all(Array.from({ length: 10 }, () => passwords.hash('password', owner)))
    expect(await startedDuring(all)).toHaveLength(3)
    expect(await startedDuring(all)).toHaveLength(0)
  })

  test('an idle thread ends, and the next password starts another', async () => {
    const passwords = hasher({ threads: 1, idleMs: 0 })
    const workers = await startedDuring(() => passwords.hash('one', owner))
    await Promise.all(workers.map((worker) => worker.threadId === -1 || once(worker, 'exit')))
    expect(await passwords.hash('two', owner)).toMatch(/^\$2b\$/)
  })

  test('a thread that dies rejects its own password, and the waiting ones move to another', async () => {
    // So slow that the thread dies during a hash.
    const passwords = hasher({ threads: 1, cost: 11 })
    const workers = await startedDuring(async (started) => {
      const hash = await passwords.hash('zero', owner)
      const results = Promise.allSettled([passwords.hash('one', owner), passwords.hash('two', owner)])
      await started[0]?.terminate()
      expect((await results).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
      expect(await passwords.verify('zero', hash, owner)).toBe(true)
    })
    expect(workers).toHaveLength(2)
  })

  test('close rejects waiting and later passwords', async () => {
    const passwords = hasher({ threads: 1 })
    const atWork = expect(passwords.hash('at work', owner)).rejects.toThrow('The password thread has ended.')
    const waiting = expect(passwords.hash('waiting', owner)).rejects.toThrow('The password hasher is closed.')
    await passwords.close()
    await Promise.all([atWork, waiting])
    await expect(passwords.hash('late', owner)).rejects.toThrow('The password hasher is closed.')
    await passwords.close()
  })

  test('a thread keeps the process alive while it works, not while it is idle', async () => {
    const source = new URL('../../../../server/identity/auth/passwords.ts', import.meta.url).href
    const script = `
      import { createPasswordHasher } from '${source}'
      const passwords = createPasswordHasher({ cost: ${cost} })
      const hash = await passwords.hash('password', 'owner')
      process.stdout.write(String(await passwords.verify('password', hash, 'owner')))`
    const { stdout } = await execFile(process.execPath, ['--input-type=module', '--eval', script])
    expect(stdout).toBe('true')
  })
})
