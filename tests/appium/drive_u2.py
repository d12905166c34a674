"""Drives the demo app through an unchanged `uiautomator2` of PyPI. Arguments: the device's serial."""

import sys
import time

import uiautomator2

APP = "com.example.notes"
TEXT = "東京 🙂"

device = uiautomator2.connect(sys.argv[1])


def sign_in():
    device.app_start(APP, ".SignIn", stop=True)
    device(resourceId=f"{APP}:id/username").set_text("ada")
    device(resourceId=f"{APP}:id/password").set_text("lovelace")
    device(text="Sign in", className="android.widget.Button").click()
    assert device(text="Groceries").wait(timeout=5)
    assert device.app_current()["activity"].endswith(".Inbox"), device.app_current()


def find():
    assert device(descriptionContains="Settings").exists
    assert device(className="android.widget.EditText").count == 1
    assert device(textContains="garden").info["text"] == "Ideas for the garden"
    assert device.xpath('//*[@text="Groceries"]').exists
    assert "Groceries" in device.dump_hierarchy()
    width, height = device.window_size()
    assert (device.info["displayWidth"], device.info["displayHeight"]) == (width, height)


def type_text():
    field = device(resourceId=f"{APP}:id/search")
    field.set_text(TEXT)
    assert field.get_text() == TEXT
    field.clear_text()
    # With its keyboard, which it installs.
    field.click()
    device.send_keys(TEXT)
    assert field.get_text() == TEXT
    device.clear_text()
    device.set_input_ime(False)
    assert device(text="Groceries").wait(timeout=5)


def fingers():
    # Above the keyboard, which may show.
    device.swipe(540, 1500, 540, 500, 0.1)
    time.sleep(0.2)
    assert not device(text="Groceries").exists
    device(scrollable=True).scroll.toBeginning()
    assert device(text="Groceries").exists
    device(scrollable=True).pinch_out(percent=50, steps=5)


def system():
    device.clipboard = TEXT
    assert device.clipboard == TEXT
    picture = device.screenshot()
    assert picture.size == device.window_size(), picture.size
    device.press("home")
    assert device.app_current()["package"] == "com.android.launcher"
    assert device.shell("echo $((1 + 1))").output.strip() == "2"
    device.app_stop(APP)


for part in [sign_in, find, type_text, fingers, system]:
    part()
    print(f"{part.__name__}: passed", flush=True)
device.stop_uiautomator()
print("ended: passed", flush=True)
