import { mediaType, parameter } from '../../../../runtime/body-router/multipart/content-type';

test.each([
  ['Application/JSON; charset=utf-8', 'application/json'],
  [undefined, ''],
])('the media type of %s', (contentType, expected) => {
  expect(mediaType(contentType)).toBe(expected);
});

test.each([
  ['a/b; x=1; name=v', 'v'],
  ['a/b;NAME = "q;\\"x"; x=1', 'q;"x'],
  ['a/b; x="; name=no"; name=yes', 'yes'],
  ['a/b; xname=no', undefined],
  ['a/b', undefined],
  ['name=v', undefined],
])('the parameter name of %s', (header, expected) => {
  expect(parameter(header, 'name')).toBe(expected);
});
