import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isEmailAddress, parseMailbox } from '../../../../server/platform/mail/address.ts'
import {
  createMailer,
  type Mail,
  type Mailer,
  type MailerOptions,
} from '../../../../server/platform/mail/mailer.ts'
import {
  clearDeleted,
  countOutbox,
  deleteMessage,
  listOutbox,
  readMessage,
  readOutbox,
  restoreMessage,
} from '../../../../server/platform/mail/outbox.ts'
import { mailFor } from '../../../../server/platform/mail/templates.ts'
import { restrictToLoopback } from '../../../../server/platform/network/names.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { createLogger } from '../../../../server/util/log.ts'
import {
  type SmtpServer,
  type SmtpServerOptions,
  startSmtpServer,
} from '../../../support/services/smtp-server.ts'

const NOW = new Date('2026-11-21T09:45:30.123Z')
const LETTER: Mail = {
  to: 'alice@example.com',
  ...mailFor('confirmEmail', {
    handle: 'alice.test',
    server: 'http://localhost:2583',
    code: 'ABCDE-FGHIJ',
  }),
}

let dataDir: string
let logged: PassThrough
let open: { close(): Promise<void> }[]

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mail-'))
  logged = new PassThrough()
  open = []
})

afterEach(async () => {
  await Promise.all(open.map((one) => one.close()))
  await rm(dataDir, { recursive: true })
})

function mailer(options: Partial<MailerOptions> = {}): Mailer {
  const created = createMailer({
    smtpUrl: undefined,
    from: 'PDS <pds@example.com>',
    dataDir,
    now: () => NOW,
    log: createLogger('info', logged),
    ...options,
  })
  open.push(created)
  return created
}

async function smtpServer(options?: SmtpServerOptions): Promise<SmtpServer> {
  const server = await startSmtpServer(options)
  open.push(server)
  return server
}

async function log(): Promise<string> {
  logged.end()
  return (await buffer(logged)).toString()
}

const modeOf = async (...path: string[]) => (await stat(join(dataDir, ...path))).mode & 0o777

describe('without a mail server', () => {
  test('a message becomes a file that only its owner can read', async () => {
    await mailer().send(LETTER)
    const [name = '', ...others] = await readdir(join(dataDir, 'outbox'))
    expect(others).toEqual([])
    expect(name).toMatch(/^20261121T094530123Z-[0-9a-f]{16}\.eml$/)
    expect(await modeOf('outbox')).toBe(0o700)
    expect(await modeOf('outbox', name)).toBe(0o600)
    const [head = '', text] = (await readFile(join(dataDir, 'outbox', name), 'utf8')).split('\r\n\r\n')
    expect(head.split('\r\n')).toEqual(
      expect.arrayContaining([
        'From: PDS <pds@example.com>',
        'To: alice@example.com',
        'Subject: Confirm your email address',
        'Date: Sat, 21 Nov 2026 09:45:30 +0000',
        'Auto-Submitted: auto-generated',
        'X-PDS-Purpose: confirmEmail',
        'X-PDS-Code: ABCDE-FGHIJ',
      ]),
    )
    expect(head).not.toMatch(/^X-PDS-Failure/im)
    expect(text).toMatch(/^Hello @alice\.test,/)
  })

  test('a message is listed and read with all fields of the desktop', async () => {
    await mailer().send(LETTER)
    const [message] = await listOutbox(dataDir)
    expect(message).toEqual({
      id: expect.any(String),
      at: NOW.toISOString(),
      to: 'alice@example.com',
      subject: 'Confirm your email address',
      text: LETTER.text,
      purpose: 'confirmEmail',
      code: 'ABCDE-FGHIJ',
      failure: undefined,
    })
    expect(await readMessage(dataDir, message?.id ?? '')).toEqual(message)
  })

  test('the newest message comes first, even within one millisecond', async () => {
    const mail = mailer()
    for (const code of ['1', '2', '3']) await mail.send({ ...LETTER, code })
    expect((await listOutbox(dataDir)).map(({ code }) => code)).toEqual(['3', '2', '1'])
  })

  /** The file system, which counts the files that are read. */
  function counting() {
    const counted = { reads: 0 }
    const read = (path: string) => {
      counted.reads++
      return nodeFiles.read(path)
    }
    return { counted, files: { ...nodeFiles, read } }
  }

  test('a reader that stops leaves the other messages unread', async () => {
    const mail = mailer()
    for (const code of ['1', '2', '3']) await mail.send({ ...LETTER, code })
    const { counted, files } = counting()
    for await (const { code } of readOutbox(dataDir, files)) {
      expect(code).toBe('3')
      break
    }
    expect(counted.reads).toBe(1)
    expect(await listOutbox(dataDir, files, 2)).toMatchObject([{ code: '3' }, { code: '2' }])
    expect(counted.reads).toBe(2)
  })

  test('lists read each message once, and follow what is sent, deleted and restored', async () => {
    const mail = mailer()
    for (const code of ['1', '2']) await mail.send({ ...LETTER, code })
    const { counted, files } = counting()
    const codes = async () => (await listOutbox(dataDir, files)).map(({ code }) => code)
    expect(await codes()).toEqual(['2', '1'])
    await mail.send({ ...LETTER, code: '3' })
    expect(await codes()).toEqual(['3', '2', '1'])
    const [{ id } = { id: '' }] = await listOutbox(dataDir, files)
    await deleteMessage(dataDir, id, files)
    expect(await codes()).toEqual(['2', '1'])
    await restoreMessage(dataDir, id, files)
    expect(await codes()).toEqual(['3', '2', '1'])
    expect(counted.reads).toBe(3)
  })

  test('the log line has neither the recipient nor the code', async () => {
    await mailer().send(LETTER)
    const text = await log()
    expect(text).toContain('"purpose":"confirmEmail","msg":"mail kept in the outbox"')
    expect(text).not.toMatch(/alice|ABCDE/)
  })

  test('concurrent messages are all in the outbox', async () => {
    const mail = mailer()
    const codes = Array.from({ length: 20 }, (_, i) => String(i))
    await Promise.all(codes.map((code) => mail.send({ ...LETTER, code })))
    expect((await listOutbox(dataDir)).map(({ code }) => code)).toEqual(codes.reverse())
  })

  test('a deleted message can be restored until it is cleared', async () => {
    await mailer().send(LETTER)
    const [message] = await listOutbox(dataDir)
    expect(await deleteMessage(dataDir, message?.id ?? '')).toBe(true)
    expect(await deleteMessage(dataDir, message?.id ?? '')).toBe(false)
    expect(await countOutbox(dataDir)).toBe(0)

    expect(await restoreMessage(dataDir, message?.id ?? '')).toBe(true)
    expect(await restoreMessage(dataDir, message?.id ?? '')).toBe(false)
    expect(await countOutbox(dataDir)).toBe(1)
    expect(await readMessage(dataDir, message?.id ?? '')).toEqual(message)

    expect(await deleteMessage(dataDir, message?.id ?? '')).toBe(true)
    await clearDeleted(dataDir)
    expect(await restoreMessage(dataDir, message?.id ?? '')).toBe(false)
    expect(await readMessage(dataDir, message?.id ?? '')).toBeUndefined()
    expect(await listOutbox(dataDir)).toEqual([])
  })

  test('an unused outbox is empty', async () => {
    expect(await listOutbox(dataDir)).toEqual([])
  })

  test('a folder that others can read is made private again', async () => {
    await mkdir(join(dataDir, 'outbox'))
    await chmod(join(dataDir, 'outbox'), 0o755)
    await mailer().send(LETTER)
    expect(await modeOf('outbox')).toBe(0o700)
  })

  test('other files in the folder are neither listed nor read nor deleted', async () => {
    await mailer().send(LETTER)
    const [name] = await readdir(join(dataDir, 'outbox'))
    const otherFiles = ['notes.txt', `${name}.tmp`, '.DS_Store']
    for (const file of otherFiles) await writeFile(join(dataDir, 'outbox', file), 'secret')
    await writeFile(join(dataDir, 'admin-password'), 'secret')
    expect(await listOutbox(dataDir)).toHaveLength(1)
    for (const id of [
      ...otherFiles,
      '../admin-password',
      '..\\admin-password',
      join(dataDir, 'admin-password'),
      '',
      '.',
    ]) {
      expect(await readMessage(dataDir, id), id).toBeUndefined()
      expect(await deleteMessage(dataDir, id), id).toBe(false)
      expect(await restoreMessage(dataDir, id), id).toBe(false)
    }
    expect(await readFile(join(dataDir, 'admin-password'), 'utf8')).toBe('secret')
  })

  test.each([
    ['letters of every script', 'Grüße, 你好, 🔑 – “x”\n'],
    ['long lines', `${'word '.repeat(100)}\n${'x'.repeat(500)}\n`],
    ['unencoded lines that resemble the encoding', 'a=b =3D =\n= =20\n'],
    ['encoded lines that resemble the encoding', 'a=b =3D =\n= =20\nü =\n'],
    ['lines that resemble headers', '\nSubject: no\n\nBcc: eve@example.com\n\n\n\nend\n'],
    ['lines of dots and blanks', '.\n..\n. \n \n\t\nend\n'],
  ])('%s are read back unchanged', async (_, text) => {
    await mailer().send({ ...LETTER, text })
    expect((await listOutbox(dataDir))[0]?.text).toBe(text)
  })

  test('a message that cannot be written fails and leaves no file', async () => {
    await writeFile(join(dataDir, 'outbox'), 'in the way')
    await expect(mailer().send(LETTER)).rejects.toThrow(/EEXIST|ENOTDIR/)
    expect(await readdir(dataDir)).toEqual(['outbox'])
  })
})

describe('with a mail server', () => {
  test('a message is sent without the header fields of the outbox', async () => {
    const server = await smtpServer()
    await mailer({ smtpUrl: server.url }).send(LETTER)
    expect(server.messages).toEqual([
      { from: '<pds@example.com>', to: ['<alice@example.com>'], user: undefined, data: expect.any(String) },
    ])
    const [head = '', text] = server.messages[0]?.data.split('\r\n\r\n') ?? []
    expect(head).toContain('\r\nSubject: Confirm your email address\r\n')
    expect(head).not.toContain('X-PDS')
    expect(text).toMatch(/^Hello @alice\.test,/)
    expect(await readdir(dataDir)).toEqual([])
  })

  test('the user and the password of the URL are used', async () => {
    const server = await smtpServer({ login: { user: 'me@example.com', password: 'p@ss/w:rd%' } })
    await mailer({ smtpUrl: server.url }).send(LETTER)
    expect(server.messages).toMatchObject([{ user: 'me@example.com' }])
  })

  test('the log line of a sent message has neither the recipient nor the code', async () => {
    const server = await smtpServer({ login: { user: 'me', password: 'hunter22' } })
    await mailer({ smtpUrl: server.url }).send(LETTER)
    const text = await log()
    expect(text).toContain('"purpose":"confirmEmail","msg":"mail sent"')
    expect(text).not.toMatch(/alice|ABCDE|hunter22/)
  })

  test('a text that imitates SMTP stays one message', async () => {
    const server = await smtpServer()
    const text =
      'first\r\n.\r\nMAIL FROM:<eve@example.com>\r\nRCPT TO:<bob@example.com>\r\nDATA\r\n.\r\nlast\r\n'
    await mailer({ smtpUrl: server.url }).send({ ...LETTER, text })
    expect(server.messages).toHaveLength(1)
    expect(server.messages[0]?.to).toEqual(['<alice@example.com>'])
    expect(server.messages[0]?.data).toContain(text.trimEnd())
  })

  test.each<[string, SmtpServerOptions, RegExp]>([
    ['refuses connections', { replies: { greeting: '554 No service' } }, /554 No service/],
    [
      'refuses the password',
      { login: { user: 'a', password: 'b' }, replies: { AUTH: '535 No' } },
      /user name or the password\. It answered: 535 No$/,
    ],
    ['refuses the sender', { replies: { MAIL: '550 Not from you' } }, /550 Not from you/],
    ['refuses the recipient', { replies: { RCPT: '550-No\r\n550 such user' } }, /550.+such user/],
    ['refuses the text', { replies: { message: '554 Spam: ünwanted' } }, /554 Spam: .*nwanted/],
    ['never greets', { replies: { greeting: null } }, /did not answer in time/],
    ['never confirms the message', { replies: { message: null } }, /did not answer in time/],
  ])('that %s, the message is kept with the reason', async (_, options, failure) => {
    const server = await smtpServer(options)
    await mailer({ smtpUrl: server.url, smtpTimeout: 200 }).send(LETTER)
    expect(await listOutbox(dataDir)).toEqual([
      expect.objectContaining({
        text: LETTER.text,
        code: LETTER.code,
        failure: expect.stringMatching(failure),
      }),
    ])
    const text = await log()
    expect(text).toMatch(/^\{"level":"warn"/)
    expect(text).toContain('"msg":"mail kept in the outbox"')
    expect(text).not.toMatch(/alice|ABCDE/)
  })

  test('that is not reachable, the message goes to the outbox with the reason', async () => {
    const server = await startSmtpServer()
    await server.close()
    await mailer({ smtpUrl: server.url }).send(LETTER)
    expect(await listOutbox(dataDir)).toMatchObject([
      { failure: expect.stringContaining('does not accept connections') },
    ])
  })

  test('that expects no TLS, the reason names the setting', async () => {
    const server = await smtpServer()
    await mailer({ smtpUrl: server.url.replace('smtp:', 'smtps:') }).send(LETTER)
    const failure = expect.stringMatching(/does not begin with TLS. Choose STARTTLS, or the port for TLS.$/)
    expect(await listOutbox(dataDir)).toMatchObject([{ failure }])
  })

  test('close: messages that wait for the server go to the outbox', async () => {
    const server = await smtpServer({ replies: { greeting: null } })
    const mail = mailer({ smtpUrl: server.url })
    const sending = mail.send(LETTER)
    await mail.close()
    expect(await listOutbox(dataDir)).toHaveLength(1)
    await sending
  })

  // 0.0.0.0 connects to loopback, but is not a loopback address.
  test('a network for tests sends to a mail server of this computer alone', async () => {
    const server = await smtpServer()
    const end = restrictToLoopback()
    try {
      await mailer({ smtpUrl: server.url.replace('127.0.0.1', '0.0.0.0') }).send(LETTER)
      expect(server.messages).toEqual([])
      const [kept] = await listOutbox(dataDir)
      expect(kept?.failure).toBe('0.0.0.0: this network for tests stays on this computer')
      await mailer({ smtpUrl: server.url }).send(LETTER)
      expect(server.messages).toHaveLength(1)
    } finally {
      end()
    }
  })

  test('a password is not sent unencrypted beyond loopback, unless the URL allows it', async () => {
    const server = await smtpServer({ login: { user: 'me', password: 'hunter22' } })
    const smtpUrl = server.url.replace('127.0.0.1', '0.0.0.0')
    await mailer({ smtpUrl }).send(LETTER)
    expect(server.messages).toEqual([])
    expect(await listOutbox(dataDir)).toMatchObject([
      { failure: expect.stringContaining('does not offer STARTTLS') },
    ])
    await mailer({ smtpUrl: `${smtpUrl}?requireTLS=false` }).send(LETTER)
    expect(server.messages).toHaveLength(1)
  })
})

describe('headers and recipients cannot be injected', () => {
  test.each([
    'alice@example.com\r\nBcc: eve@example.com',
    'alice@example.com\nBcc: eve@example.com',
    'alice@example.com, eve@example.com',
    'alice@example.com;eve@example.com',
    'alice@example.com>\r\nRCPT TO:<eve@example.com',
    'Alice <alice@example.com>',
    '"alice@example.com eve"@example.com',
    'friends: alice@example.com;',
    'alice@example.com ',
    'alice@[127.0.0.1]',
    'alice\0@example.com',
    'alice@exämple.com',
    '-',
    '@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'a.'.repeat(130)}com`,
    '',
  ])('by the recipient %j', async (to) => {
    const server = await smtpServer()
    await expect(mailer({ smtpUrl: server.url }).send({ ...LETTER, to })).rejects.toThrow(TypeError)
    await expect(mailer().send({ ...LETTER, to })).rejects.toThrow(TypeError)
    expect(server.messages).toEqual([])
    expect(await readdir(dataDir)).toEqual([])
  })

  test.each(['Hello\r\nBcc: eve@example.com', 'Hello\nX: y', 'Hello\0', 'Hello\u0085'])(
    'by the subject %j',
    async (subject) => {
      await expect(mailer().send({ ...LETTER, subject })).rejects.toThrow(TypeError)
      expect(await readdir(dataDir)).toEqual([])
    },
  )

  test('by the code', async () => {
    await mailer().send({ ...LETTER, code: 'ABCDE\r\nBcc: eve@example.com' })
    const [name = ''] = await readdir(join(dataDir, 'outbox'))
    expect(await readFile(join(dataDir, 'outbox', name), 'utf8')).not.toMatch(/^Bcc/im)
  })

  test('by the sender', () => {
    expect(() => mailer({ from: 'PDS <pds@example.com>\r\nBcc: eve@example.com' })).toThrow(TypeError)
    expect(() => mailer({ from: 'PDS\r\nBcc: eve@example.com <pds@example.com>' })).toThrow(TypeError)
  })
})

describe('addresses', () => {
  test.each([
    'a@b',
    'alice@example.com',
    "o'hara+pds@mail.example.co.uk",
    'ALICE@EXAMPLE.COM',
    'a.b_c-d@x--y.test',
  ])('%s is valid', (address) => expect(isEmailAddress(address)).toBe(true))

  test('a valid address has no special character of mail', () => {
    const parts = fc.string({ unit: fc.constantFrom('a', '1', '.', '-', '@', ...'<>,;:"()[]\\ \t\r\n\0é') })
    fc.assert(
      fc.property(fc.oneof(parts, fc.emailAddress(), fc.string({ unit: 'binary' })), (text) => {
        if (isEmailAddress(text)) expect(text).toMatch(/^[^\s<>,;:"()[\]\\\p{Cc}@]+@[a-z0-9.-]+$/iu)
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    ['alice@example.com', { name: '', address: 'alice@example.com' }],
    ['<alice@example.com>', { name: '', address: 'alice@example.com' }],
    [' Älice B. <alice@example.com> ', { name: 'Älice B.', address: 'alice@example.com' }],
    ['Alice, Bob <alice@example.com>', undefined],
    ['Alice <alice@example.com> Bob', undefined],
    ['Alice <alice>', undefined],
  ])('the sender %j is parsed to %j', (text, mailbox) => expect(parseMailbox(text)).toEqual(mailbox))
})

describe('templates', () => {
  const details = { handle: 'alice.test', server: 'https://pds.example.com', code: 'ABCDE-FGHIJ' }
  const purposes = ['authFactor', 'confirmEmail', 'deleteAccount', 'resetPassword', 'updateEmail'] as const
  const letters = purposes.map((purpose) => [purpose, mailFor(purpose, details)] as const)

  test('there is one for each purpose', () => {
    expect(letters.map(([, { purpose }]) => purpose)).toEqual(purposes)
    expect(new Set(letters.map(([, { subject }]) => subject)).size).toBe(letters.length)
  })

  test.each(letters)(
    '%s has the handle, the server, the code, its lifetime and advice for other readers',
    (name, letter) => {
      expect(letter.purpose).toBe(name)
      expect(letter.code).toBe('ABCDE-FGHIJ')
      for (const part of [
        '@alice.test',
        'https://pds.example.com',
        'Your code: ABCDE-FGHIJ',
        '15 minutes',
        'not you:\n',
      ]) {
        expect(letter.text).toContain(part)
      }
      expect(letter.subject).not.toContain('ABCDE')
      expect(letter.text).toMatch(/^[ -~\n]+$/)
      for (const line of letter.text.split('\n')) expect(line.length).toBeLessThanOrEqual(76)
    },
  )
})
