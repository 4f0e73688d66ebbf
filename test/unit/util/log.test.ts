import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createLogger } from '../../../server/util/log.ts'

async function lines(
  level: Parameters<typeof createLogger>[0],
  write: (log: ReturnType<typeof createLogger>) => void,
) {
  const stream = new PassThrough()
  write(createLogger(level, stream))
  stream.end()
  return (await text(stream))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

test('a line has an ISO time, the name of its level and the message', async () => {
  expect(await lines('info', (log) => log.warn({ port: 2583 }, 'port taken'))).toEqual([
    {
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      port: 2583,
      msg: 'port taken',
    },
  ])
})

test('lines below the level are dropped, and silent drops all', async () => {
  expect(await lines('error', (log) => log.warn('no'))).toEqual([])
  expect(await lines('silent', (log) => log.fatal('no'))).toEqual([])
})

test('secrets are redacted at every depth, and in child loggers', async () => {
  const secrets = {
    password: 's3cret',
    token: 's3cret',
    accessJwt: 's3cret',
    refreshJwt: 's3cret',
  }
  const logged = await lines('info', (log) => {
    log.info({ ...secrets, code: 's3cret' })
    log.info({ input: secrets, config: { smtpUrl: 'smtp://a:s3cret@b', adminPassword: 's3cret' } })
    log.info({ req: { headers: { authorization: 'Bearer s3cret' }, body: secrets } })
    log.info({ mail: { code: 's3cret' }, output: { code: 's3cret' } })
    log.child({ token: 's3cret' }).info('from a child')
    log.info({ err: Object.assign(new Error('failed'), { password: 's3cret' }) })
  })
  expect(logged).toHaveLength(6)
  expect(JSON.stringify(logged)).not.toContain('s3cret')
  expect(JSON.stringify(logged)).toContain('[redacted]')
})

test('a text that is no URL is redacted: it may have a password', async () => {
  const logged = await lines('info', (log) => {
    try {
      new URL('smtp://me:s3cret@a b')
    } catch (err) {
      log.error({ err }, 'failed')
    }
  })
  expect(logged).toMatchObject([{ err: { code: 'ERR_INVALID_URL' } }])
  expect(JSON.stringify(logged)).not.toContain('s3cret')
})

test('the code of an error is not redacted', async () => {
  const err = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  expect(await lines('info', (log) => log.error({ err }))).toMatchObject([
    { err: { message: 'no space', code: 'ENOSPC' } },
  ])
})
