import { readBaseUrl } from '../../../../../nodes/shared/platform/account/baseUrl';
import { PlatformError } from '../../../../../nodes/shared/platform/answers/errors';

const read = (text: unknown, allowHttp = false) =>
	readBaseUrl(text, { allowHttp, label: 'The base URL', secret: 'API key' });

it.each([
	['  https://api.example.com/  ', 'https://api.example.com'],
	['https://API.Example.com:443//', 'https://api.example.com'],
	['https://gateway.example.com/cpo/charging/', 'https://gateway.example.com/cpo/charging'],
	['https://gateway.example.com/api', 'https://gateway.example.com/api'],
	['http://localhost:4010', 'http://localhost:4010'],
	['http://127.1.2.3:4010/', 'http://127.1.2.3:4010'],
	['http://[::1]:4010', 'http://[::1]:4010'],
	['http://platform.localhost', 'http://platform.localhost'],
])('%j is used', (text, baseUrl) => {
	expect(read(text)).toEqual({ baseUrl, notes: [] });
});

it.each([
	['api.example.com', 'https://api.example.com', /https:\/\/ was put in front/],
	['//api.example.com/x', 'https://api.example.com/x', /https:\/\/ was put in front/],
	['intranet:8443', 'https://intranet:8443', /https:\/\/ was put in front/],
	['localhost:4010', 'http://localhost:4010', /http:\/\/ was put in front/],
	['https://a.example/gw/api/charging-sessions/v1', 'https://a.example/gw', /cut off/],
	['https://a.example/api/charging-stations/v1/77/?dsquery=%7B%7D#x', 'https://a.example', /cut off/],
	['https://a.example/api/charging-sessions', 'https://a.example', /cut off/],
	['https://a.example/token', 'https://a.example', /cut off/],
	['https://a.example/#/login', 'https://a.example', /#/],
])('%s is corrected, with a note', (text, baseUrl, note) => {
	const result = read(text);
	expect(result.baseUrl).toBe(baseUrl);
	expect(result.notes.join(' ')).toMatch(note);
});

it('plain http is used to another host where that is allowed', () => {
	expect(read('http://platform.internal:8080', true).baseUrl).toBe('http://platform.internal:8080');
});

it.each<[unknown, RegExp]>([
	[' ', /is empty/],
	[42, /is empty/],
	['https://api.example .com', /space/],
	['\u200bhttps://api.example.com', /a character that cannot be seen/],
	['https://api.exam\u00adple.com', /a character that cannot be seen/],
	['https://api.example.com/gate\u2060way', /a character that cannot be seen/],
	['api.example.com\u202c', /a character that cannot be seen/],
	['https://api.example.com\u0007', /a character that cannot be seen/],
	['production', /not a web address/],
	['cnk_7s3cret', /not a web address/],
	['mailto:s3cret@example.com', /not a web address/],
	['https://', /not a web address/],
	['http://https://a.example', /not a web address/],
	['ftp://a.example', /ftp:\/\//],
	['https://user:s3cret@a.example', /user name or password/],
	['user@a.example', /user name or password/],
	['https://a.example/?key=s3cret', /question mark/],
	['http://a.example', /unencrypted/],
	['http://localhost.example.com', /unencrypted/],
])('%j is refused, and not repeated, as it may hold a password', (text, reason) => {
	expect(() => read(text)).toThrow(PlatformError);
	expect(() => read(text)).toThrow(reason);
	expect(() => read(text)).not.toThrow('s3cret');
});
