/** Hands over the files that are dropped on `zone` or chosen by `input`. */
export function takeFiles(
  zone: HTMLElement,
  input: HTMLInputElement,
  take: (files: FileList) => void,
): void {
  const choose = (files: FileList | null | undefined): void => {
    if (files && files.length > 0) take(files);
  };
  input.addEventListener('change', () => choose(input.files));
  for (const event of ['dragenter', 'dragover'] as const) {
    zone.addEventListener(event, (drag) => {
      drag.preventDefault();
      zone.classList.add('is-over');
    });
  }
  zone.addEventListener('dragleave', () => zone.classList.remove('is-over'));
  zone.addEventListener('drop', (drop) => {
    drop.preventDefault();
    zone.classList.remove('is-over');
    choose(drop.dataTransfer?.files);
  });
}
